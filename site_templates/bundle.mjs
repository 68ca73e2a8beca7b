// Builds the browser code into dist/ and writes dist/manifest.json, which the Python side reads (indexer/publish/mkdocs_static.py).
// Run by `npm run build`. File names carry a hash of their content, so a server may let browsers keep them for good.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const final = join(here, "dist");
const dist = join(here, "dist.new"); // moved into place when all of it is there
const entries = {};

/** One image with all icons below each other, and where each lies in it: `--i-<name>`, as a mask position. */
const icons = {
  name: "icons",
  setup(plugin) {
    plugin.onResolve({ filter: /^icons:/ }, ({ path }) => ({ path, namespace: "icons" }));
    plugin.onLoad({ filter: /^icons:strip$/, namespace: "icons" }, async () => {
      const names = Object.entries(JSON.parse(await readFile(join(here, "src", "icons.json"), "utf8")));
      const shapes = await Promise.all(
        names.map(async ([, file], index) => {
          const text = await readFile(join(here, "node_modules", "lucide-static", "icons", `${file}.svg`), "utf8");
          const inner = text.replace(/<!--.*?-->/gs, "").replace(/^[^]*?<svg[^>]*>|<\/svg>[^]*$/g, "").replace(/\s+/g, " ").replace(/> </g, "><").trim();
          return `<g transform="translate(0 ${index * 24})">${inner}</g>`;
        }),
      );
      const svg =
        `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="${names.length * 24}" viewBox="0 0 24 ${names.length * 24}" fill="none" ` +
        `stroke="#000" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${shapes.join("")}</svg>\n`;
      const file = `icons-${createHash("sha256").update(svg).digest("hex").slice(0, 8)}.svg`;
      await writeFile(join(dist, file), svg);
      const places = names.map(([name], index) => `--i-${name}:${+((100 * index) / (names.length - 1)).toFixed(4)}%`);
      return { contents: `:root{--icons:url("./${file}");--strip:100% ${names.length * 100}%;${places.join(";")}}`, loader: "css" };
    });
  },
};

const common = {
  plugins: [icons],
  absWorkingDir: here,
  bundle: true,
  minify: true,
  metafile: true,
  legalComments: "linked",
  target: ["es2022", "chrome111", "firefox115", "safari16.4"],
  loader: { ".woff2": "file", ".woff": "empty", ".ttf": "empty" },
  assetNames: "fonts/[name]-[hash]",
  logLevel: "warning",
  external: ["./icons-*.svg"],
};

/** Builds one entry into a folder of dist and returns the path of its output. */
async function bundle(entry, folder, options) {
  const result = await build({
    ...common,
    entryPoints: [entry],
    outdir: join(dist, folder),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    ...options,
  });
  const output = Object.entries(result.metafile.outputs).find(([, value]) => value.entryPoint === entry);
  return relative(dist, join(here, output[0])).split(sep).join("/");
}

async function* walk(folder) {
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

// Heavy parts have a folder each: a site without mathematics or diagrams does not ship them.
entries.math = await bundle("src/math.ts", "math", { format: "esm" });
entries.mathStyle = await bundle("src/math.css", "math", {});
entries.mermaid = await bundle("src/mermaid.ts", "mermaid", { format: "esm", splitting: true });
entries.explorer = await bundle("src/explorer/index.ts", "explorer", { format: "esm", splitting: true });
entries.explorerStyle = await bundle("src/styles/explorer.css", "explorer", {});
entries.boot = await bundle("src/boot.ts", "", { format: "iife" });
entries.style = await bundle("src/style.css", "", {});
entries.gateway = await bundle("src/gateway.ts", "", { format: "esm" });
entries.gatewayStyle = await bundle("src/gateway.css", "", {});
entries.site = await bundle("src/site.ts", "", {
  format: "esm",
  splitting: true,
  define: {
    MATH_URL: JSON.stringify(`./${entries.math}`),
    MATH_STYLE: JSON.stringify(`./${entries.mathStyle}`),
    MERMAID_URL: JSON.stringify(`./${entries.mermaid}`),
    EXPLORER_URL: JSON.stringify(`./${entries.explorer}`),
    EXPLORER_STYLE: JSON.stringify(`./${entries.explorerStyle}`),
  },
});

const icon = await readFile(join(here, "src", "icon.svg"));
entries.icon = `icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`;
await writeFile(join(dist, entries.icon), icon);

// The licences travel with what they cover.
const licences = { inter: "@fontsource-variable/inter", "jetbrains-mono": "@fontsource-variable/jetbrains-mono", lucide: "lucide-static" };
for (const [name, folder] of Object.entries(licences)) {
  await copyFile(join(here, "node_modules", folder, "LICENSE"), join(dist, `${name}-LICENSE.txt`));
}
for (const name of ["sigma", "graphology"]) await copyFile(join(here, "node_modules", name, "LICENSE.txt"), join(dist, "explorer", `${name}-LICENSE.txt`));
const font = (await readdir(join(dist, "fonts"))).find((name) => name.startsWith("inter-latin-wght-normal"));
entries.font = `fonts/${font}`;

const files = {};
for await (const path of walk(dist)) {
  const name = relative(dist, path).split(sep).join("/");
  if (basename(name) === "manifest.json") continue;
  // What no page of a site asks for is not shipped with one: the gateway serves its own.
  const feature = ["math", "mermaid", "explorer", "gateway"].find((part) => name.startsWith(`${part}/`) || name.startsWith(`${part}-`)) ?? "";
  files[name] = { sha256: createHash("sha256").update(await readFile(path)).digest("hex"), feature };
}
await writeFile(join(dist, "manifest.json"), `${JSON.stringify({ entries, files }, null, 1)}\n`);
await rm(final, { recursive: true, force: true });
await rename(dist, final);
