// Marks the heading that is being read in the table of contents, and keeps it in sight there.

import { keepInSight } from "./dom";

const OFFSET = 120;

export function startToc(): void {
  const toc = document.querySelector<HTMLElement>(".brain-toc");
  if (!toc) return;
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
