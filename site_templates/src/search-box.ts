// A field with a list of results below it, in the dialog and on the search page. Follows the combobox pattern: the focus stays in the field, the
// arrow keys move through the list. It remembers nothing. What pages say is shown through textContent only.

import { make, siteRoot } from "./dom";
import type { Finder, Piece, Result } from "./finder";
import { followResult } from "./searched";

const LIMIT = 24;
const WAIT = 70;

let boxes = 0;

export interface SearchBox {
  readonly element: HTMLElement;
  readonly field: HTMLInputElement;
  /** Empties field and list. */
  clear(): void;
  /** Searches for what is in the field now. */
  refresh(): void;
}

/** Builds a search box; `finder` loads the search when it is first needed. */
export function makeSearchBox(finder: () => Promise<Finder>): SearchBox {
  const id = `brain-search-${++boxes}`;
  const field = make("input", {
    type: "search",
    class: "brain-search__field",
    role: "combobox",
    "aria-label": "Search this site",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": `${id}-list`,
    placeholder: "Search this site",
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    enterkeyhint: "go",
    maxlength: "200",
  });
  const status = make("p", { class: "brain-search__status", role: "status" });
  const list = make("div", { class: "brain-search__list", id: `${id}-list`, role: "listbox", "aria-label": "Results" });
  const help = makeHelp();
  const form = make("form", { class: "brain-search__form", role: "search" }, make("span", { class: "brain-icon brain-icon--search", "aria-hidden": "true" }), field);
  const element = make("div", { class: "brain-search" }, form, make("div", { class: "brain-search__body" }, status, list, help));

  let options: HTMLAnchorElement[] = [];
  let active = -1;
  let asked = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const activate = (index: number): void => {
    options[active]?.setAttribute("aria-selected", "false");
    active = options.length ? (index + options.length) % options.length : -1;
    const option = options[active];
    if (option) {
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", option.id);
    } else field.removeAttribute("aria-activedescendant");
  };

  const show = (results: readonly Result[], query: string, mark: (text: string) => readonly Piece[]): void => {
    options = results.map((found, index) => makeOption(found, `${id}-${index}`, mark));
    list.replaceChildren(...options);
    list.hidden = options.length === 0;
    help.hidden = query !== "" && options.length > 0;
    field.setAttribute("aria-expanded", String(options.length > 0));
    status.textContent = describe(results, query);
    help.classList.toggle("is-empty", query !== "" && options.length === 0);
    active = -1;
    activate(options.length ? 0 : -1);
  };

  const search = async (): Promise<void> => {
    const query = field.value.trim();
    asked = query;
    if (query === "") return show([], "", plain);
    const slow = setTimeout(() => {
      if (asked === query) status.textContent = "Searching …";
    }, 250);
    try {
      const search = await finder();
      const results = await search.search(query, LIMIT);
      // A later query may have been answered already.
      if (asked === query) show(results, query, (text) => search.highlight(text, query));
    } catch {
      if (asked === query) {
        show([], "", plain);
        status.textContent = "The search could not be loaded. Check the connection and try again.";
      }
    } finally {
      clearTimeout(slow);
    }
  };

  const plan = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void search(), WAIT);
  };

  field.addEventListener("input", plan);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) {
      event.preventDefault();
      activate(active + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      options[active]?.click();
    }
  });
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest("a") : null;
    if (option) followResult(asked, option, event);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  list.addEventListener("pointermove", (event) => {
    const option = event.target instanceof Element ? event.target.closest("a") : null;
    const index = option ? options.indexOf(option) : -1;
    if (index >= 0 && index !== active) activate(index);
  });
  show([], "", plain);
  return {
    element,
    field,
    clear() {
      field.value = "";
      clearTimeout(timer);
      asked = "";
      show([], "", plain);
    },
    refresh: () => void search(),
  };
}

/** Says what was found; `query` is empty before anything was asked. */
function describe(results: readonly Result[], query: string): string {
  if (query === "") return "";
  if (results.length === 0) return `Nothing matches “${query}”.`;
  if (results.every((found) => found.missing.length > 0)) return "No page has all of these words. These have some of them:";
  return results.length >= LIMIT ? `The best ${results.length} results` : results.length === 1 ? "1 result" : `${results.length} results`;
}

function plain(text: string): readonly Piece[] {
  return [{ text, hit: false }];
}

function spell(pieces: readonly Piece[]): (Node | string)[] {
  return pieces.map((piece) => (piece.hit ? make("mark", {}, piece.text) : piece.text));
}

function makeOption(found: Result, id: string, mark: (text: string) => readonly Piece[]): HTMLAnchorElement {
  // "./": a first segment such as "a:b" would read as a scheme.
  const href = new URL(`./${found.url}`, siteRoot()).href;
  const option = make("a", { class: "brain-search__option", id, role: "option", "aria-selected": "false", tabindex: "-1", href });
  const title = make("span", { class: "brain-search__title", dir: "auto" }, ...spell(mark(found.title)));
  if (found.heading) title.append(make("span", { class: "brain-search__heading", dir: "auto" }, ...spell(mark(found.heading))));
  const icon = make("span", { class: `brain-icon brain-icon--${found.heading ? "hash" : "file"}`, "aria-hidden": "true" });
  const text = make("span", { class: "brain-search__text" }, title);
  if (found.pieces.length) text.append(make("span", { class: "brain-search__snippet", dir: "auto" }, ...spell(found.pieces)));
  const place = [shortenPath(found.breadcrumbs).join(" › "), found.missing.length ? `without: ${found.missing.join(", ")}` : ""].filter(Boolean);
  if (place.length) text.append(make("span", { class: "brain-search__place", dir: "auto" }, place.join(" · ")));
  option.append(icon, text, make("span", { class: "brain-icon brain-icon--enter", "aria-hidden": "true" }));
  return option;
}

/** Of a deep path, where it begins and where the page is. */
function shortenPath(folders: readonly string[]): readonly string[] {
  return folders.length > 4 ? [...folders.slice(0, 1), "…", ...folders.slice(-2)] : folders;
}

/** What is shown without results: how to search, and the ways that need no search. */
function makeHelp(): HTMLElement {
  const tips = make(
    "ul",
    {},
    make("li", {}, "Fewer words find more pages."),
    make("li", {}, "Words in “quotation marks” must stand together."),
    make("li", {}, "The beginning of a word is enough."),
  );
  const ways = make("p", { class: "brain-search__ways" });
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".brain-footer__links a")) {
    if (/^(All pages|Tags|Recent changes)$/.test(link.textContent ?? "")) ways.append(make("a", { href: link.href }, link.textContent ?? ""));
  }
  return make("div", { class: "brain-search__help" }, tips, ways);
}
