// The graph explorer of a site. Loaded by its page alone (lazy.ts), it reads what the build wrote, and keeps its state in the address.

import { make, siteRoot } from "../dom";
import { onSchemeChange } from "../scheme";
import { makeControls } from "./controls";
import { FORMAT, Model, type Overview, type PagesFile, type RelatedFile } from "./model";
import { addressOf, drawPanel } from "./panel";
import type { Picture } from "./picture";
import { type State, readState, writeState } from "./state";
import { drawTable } from "./table";
import { type View, makeView, nameGroup } from "./view";

/** Fills its place on the page; rejects when the files cannot be read. */
export async function openExplorer(place: HTMLElement): Promise<void> {
  const drawing = import("./picture");
  drawing.catch(() => undefined);
  const [overview, pages] = await Promise.all([read<Overview>("overview.json"), read<PagesFile>("pages.json")]);
  const model = new Model(overview, pages);
  const draw = await drawing;
  new Explorer(place, model, draw.hasWebGl() ? draw.Picture : undefined).start();
}

async function read<T extends { format: number }>(name: string): Promise<T> {
  const answer = await fetch(new URL(`_/graph/${name}`, siteRoot()), { cache: "no-cache", credentials: "same-origin" });
  if (!answer.ok) throw new Error(`graph: ${answer.status} for ${name}`);
  const content = (await answer.json()) as T;
  if (content.format !== FORMAT) throw new Error("the graph is of another version");
  return content;
}

class Explorer {
  private state: State = readState(location.search);
  private view: View;
  private picture: Picture | undefined;
  private readonly panel = make("aside", { class: "brain-graph__panel", "aria-label": "What is chosen" });
  private readonly canvas = make("div", { class: "brain-graph__canvas" });
  private readonly tools = make("div", { class: "brain-graph__tools", role: "group", "aria-label": "Move the picture" });
  private readonly stage = make("div", { class: "brain-graph__stage" }, make("div", { class: "brain-graph__sky" }, this.canvas, this.tools), legend());
  private readonly table = make("div", { class: "brain-graph__table" });
  private readonly controls;

  constructor(
    private readonly place: HTMLElement,
    private readonly model: Model,
    private readonly make: typeof Picture | undefined,
  ) {
    this.controls = makeControls(model, make !== undefined, (change) => this.go(change));
    this.view = makeView(model, this.state);
  }

  start(): void {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Picture of the graph. Arrow keys move it, plus and minus zoom, 0 shows all. The table holds the same.");
    this.canvas.addEventListener("keydown", (event) => this.press(event));
    this.tools.append(
      this.tool("plus", "Zoom in", () => this.picture?.zoom(1 / 1.6)),
      this.tool("minus", "Zoom out", () => this.picture?.zoom(1.6)),
      this.tool("fit", "Show all", () => this.picture?.fit()),
    );
    this.panel.addEventListener("click", (event) => {
      const group = event.target instanceof HTMLElement ? event.target.dataset.group : undefined;
      if (group !== undefined) this.go({ group, page: undefined, to: undefined, stub: "", row: 0 });
      const folder = event.target instanceof HTMLElement ? event.target.dataset.folder : undefined;
      if (folder !== undefined) this.go({ folder, page: undefined, to: undefined, stub: "", row: 0 });
    });
    this.place.classList.add("is-open");
    this.place.replaceChildren(this.controls.element, make("div", { class: "brain-graph__body" }, this.stage, this.table, this.panel));
    addEventListener("popstate", () => {
      this.state = readState(location.search);
      void this.draw();
    });
    onSchemeChange(() => this.picture?.recolour());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) this.leave();
    });
    void this.draw().then(() => this.place.setAttribute("data-ready", ""));
  }

  private go(change: Partial<State>): void {
    const next = { ...this.state, ...change };
    if (writeState(next) === writeState(this.state)) return;
    this.state = next;
    history.pushState(null, "", writeState(next));
    void this.draw();
  }

  private async draw(): Promise<void> {
    if (this.state.mode === "related" && this.model.overview.relations.state === "found" && !this.model.related) {
      this.model.setRelated(await read<RelatedFile>("related.json"));
    }
    const view = (this.view = makeView(this.model, this.state));
    const pictured = this.make !== undefined && this.state.as === "picture";
    this.stage.hidden = !pictured;
    this.table.hidden = pictured;
    this.controls.show(view);
    drawPanel(this.panel, this.model, view, (change) => this.go(change));
    if (pictured) {
      this.table.replaceChildren();
      this.picture ??= new (this.make ?? fail())(this.canvas, this.model, {
        choosePage: (page) => this.go({ page: this.model.place(page), to: undefined, stub: "" }),
        chooseStub: (stub) => this.go({ stub: this.model.file.stubs.names[stub] ?? "", page: undefined, to: undefined }),
        openGroup: (group) => this.go({ group: nameGroup(this.model, group), page: undefined, to: undefined, stub: "" }),
        openFolder: (folder) => this.go({ folder: this.model.file.folders.path[folder] ?? "", page: undefined, to: undefined, stub: "", row: 0 }),
        openPage: (page) => location.assign(addressOf(this.model, page)),
        leave: () => this.leave(),
      });
      this.picture.show(view);
    } else {
      this.picture?.close();
      this.picture = undefined;
      drawTable(this.table, this.model, view, (change) => this.go(change));
    }
  }

  /** One step back from what is chosen to what is around it. */
  private leave(): void {
    if (this.view.to >= 0) this.go({ to: undefined });
    else if (this.view.page >= 0 || this.view.stub >= 0) this.go({ page: undefined, stub: "" });
    else if (this.view.group >= 0) this.go({ group: undefined });
    else if (this.view.mode === "folders" && this.view.folder >= 0) {
      const { above, path } = this.model.file.folders;
      this.go({ folder: path[above[this.view.folder] ?? 0] ?? "", row: 0 });
    }
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { picture } = this;
    const deeds: Record<string, () => void> = {
      ArrowLeft: () => picture?.move(-1, 0), ArrowRight: () => picture?.move(1, 0), ArrowUp: () => picture?.move(0, -1), ArrowDown: () => picture?.move(0, 1),
      "+": () => picture?.zoom(1 / 1.6), "=": () => picture?.zoom(1 / 1.6), "-": () => picture?.zoom(1.6), "0": () => picture?.fit(),
    };
    const deed = Object.hasOwn(deeds, event.key) ? deeds[event.key] : undefined;
    if (!deed) return;
    event.preventDefault();
    deed();
  }

  private tool(icon: string, label: string, deed: () => void): HTMLElement {
    const button = make("button", { type: "button", class: "brain-icon-button", "aria-label": label, title: label }, make("span", { class: `brain-icon brain-icon--${icon}` }));
    button.addEventListener("click", deed);
    return button;
  }
}

function fail(): never {
  throw new Error("this browser does not draw in WebGL");
}

function legend(): HTMLElement {
  const entry = (css: string, words: string): HTMLElement => make("li", {}, make("i", { class: css, "aria-hidden": "true" }), words);
  return make(
    "ul",
    { class: "brain-graph__legend" },
    entry("is-disc", "Community"), entry("is-loose", "Not linked"), entry("is-dot", "Page, larger with more links"), entry("is-orphan", "Orphan"), entry("is-stub", "Stub"),
  );
}
