// A field in which one types a few letters of a title and chooses a page. Follows the combobox pattern, as the search of the site does.

import { make } from "../dom";
import { type Model, at } from "./model";

const MOST = 12;

export interface PageField {
  readonly element: HTMLElement;
  /** Shows the title of a page; -1 empties the field. */
  set(page: number): void;
}

let fields = 0;

export function makePageField(model: Model, label: string, choose: (page: number) => void): PageField {
  const id = `brain-graph-field-${++fields}`;
  const input = make("input", {
    type: "text", id, class: "brain-graph__input", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`,
    placeholder: label, "aria-label": label, autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto",
  });
  const options = make("ul", { class: "brain-graph__options", id: `${id}-list`, role: "listbox", "aria-label": "Pages" });
  options.hidden = true;
  const clear = make("button", { type: "button", class: "brain-graph__clear", "aria-label": `${label}: clear` }, make("span", { class: "brain-icon brain-icon--close" }));
  const element = make("div", { class: "brain-graph__field" }, input, clear, options);
  const folded = model.file.titles.map(fold);
  let found: number[] = [];
  let active = -1;

  const activate = (place: number): void => {
    active = found.length ? (place + found.length) % found.length : -1;
    for (const [number, option] of [...options.children].entries()) option.setAttribute("aria-selected", String(number === active));
    const option = options.children[active];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };
  const close = (): void => {
    options.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const pick = (page: number): void => {
    close();
    input.value = page >= 0 ? model.title(page) : "";
    choose(page);
  };
  const open = (): void => {
    found = match(model, folded, input.value);
    options.replaceChildren(
      ...found.map((page, place) => {
        const folder = model.file.folders.path[model.folder(page)] ?? "";
        const option = make("li", { id: `${id}-${place}`, role: "option", "aria-selected": "false", dir: "auto" }, model.title(page));
        if (folder) option.append(make("small", {}, folder));
        option.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          pick(page);
        });
        return option;
      }),
    );
    if (!found.length && input.value.trim()) options.replaceChildren(make("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "No page has such a title"));
    options.hidden = !options.children.length;
    input.setAttribute("aria-expanded", String(!options.hidden));
    activate(0);
  };
  input.addEventListener("input", () => (input.value.trim() ? open() : close()));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (options.hidden) open();
      else activate(active + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const page = found[active];
      if (!options.hidden && page !== undefined) pick(page);
      else if (!input.value.trim()) pick(-1);
    } else if (event.key === "Escape" && !options.hidden) {
      event.stopPropagation();
      close();
    }
  });
  clear.addEventListener("click", () => {
    pick(-1);
    input.focus();
  });
  return {
    element,
    set(page) {
      if (document.activeElement !== input) input.value = page >= 0 ? model.title(page) : "";
    },
  };
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Returns the pages whose titles hold all words of a query: those that begin with it first, then the best connected. */
function match(model: Model, folded: readonly string[], query: string): number[] {
  const whole = fold(query.trim());
  const words = whole.split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const hits: [rank: number, page: number][] = [];
  for (const [page, title] of folded.entries()) {
    if (words.every((word) => title.includes(word))) hits.push([(title === whole ? 2e9 : title.startsWith(whole) ? 1e9 : 0) + at(model.degree, page), page]);
  }
  return hits.sort((one, other) => other[0] - one[0] || one[1] - other[1]).slice(0, MOST).map(([, page]) => page);
}
