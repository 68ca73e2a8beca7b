// Marks the heading that is being read in the table of contents, and keeps it in sight there.

import { keepInSight, make } from "./dom";

const OFFSET = 120;

export function startToc(): void {
  const toc = document.querySelector<HTMLElement>(".brain-toc");
  if (!toc) return;
  complete(toc);
  const links = new Map<HTMLElement, HTMLAnchorElement>();
  for (const link of toc.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading) links.set(heading, link);
  }
  if (links.size === 0) return;
  let marked: HTMLAnchorElement | undefined;
  let waiting = false;

  const mark = (): void => {
    waiting = false;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4 && scrollY > 0;
    let reading: HTMLAnchorElement | undefined;
    for (const [heading, link] of links) {
      if (!atEnd && heading.getBoundingClientRect().top > OFFSET) break;
      reading = link;
    }
    if (reading === marked) return;
    marked?.removeAttribute("aria-current");
    reading?.setAttribute("aria-current", "true");
    marked = reading;
    keepInSight(toc.querySelector("nav"), reading);
  };
  const plan = (): void => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(mark);
  };
  addEventListener("scroll", plan, { passive: true });
  addEventListener("resize", plan, { passive: true });
  mark();
  // On a narrow screen the table is folded; following a link folds it again.
  toc.addEventListener("click", (event) => {
    if (event.target instanceof HTMLAnchorElement && toc instanceof HTMLDetailsElement) toc.open = false;
  });
}

/** A long table is cut where it is written, for the size of the page; the headings that it leaves out stand in the page. */
function complete(toc: HTMLElement): void {
  const more = toc.querySelector(".is-more");
  const last = more?.previousElementSibling?.querySelector("a");
  if (!more || !last) return;
  const headings = [...document.querySelectorAll<HTMLElement>(".brain-article h2[id]")].filter((heading) => !heading.closest(".brain-embed"));
  const place = headings.findIndex((heading) => heading.id === decodeURIComponent(last.hash.slice(1)));
  if (place < 0) return;
  const rows = headings.slice(place + 1).map((heading) => {
    const words = [...heading.childNodes].filter((node) => !(node instanceof Element && node.matches(".brain-anchor")));
    const link = make("a", { href: `#${encodeURIComponent(heading.id)}` }, words.map((node) => node.textContent ?? "").join("").trim());
    return make("li", { class: "l2" }, link);
  });
  more.replaceWith(...rows);
}
