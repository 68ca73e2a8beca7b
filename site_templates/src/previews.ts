// Says which links can be previewed, and loads the code of the card when somebody first points at one or tabs to it.
// What asks for no preview: `data-brain-preview="off"` on the link or around it.

import { siteRoot } from "./dom";

const PLACES = ".brain-article, .brain-backlinks, .brain-around";
// Lists and results of a search say already what is behind each link.
const NEVER = '[data-brain-preview="off"], .brain-list, .brain-search, .brain-anchor, .brain-tag, .footnote-backref';

let card: Promise<typeof import("./preview-card")> | undefined;

/** Returns the link to a page of this site, or to a place on this page, that an event is about. */
function findLink(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest("a") : null;
  // A link in a diagram is of another kind, with an address that is no text.
  if (!(link instanceof HTMLAnchorElement) || !link.href || link.download) return undefined;
  if (!link.closest(PLACES) || link.closest(NEVER)) return undefined;
  const address = new URL(link.href);
  const root = siteRoot();
  const inside =
    address.origin === root.origin && address.pathname.startsWith(root.pathname) && address.pathname.endsWith("/") && !address.search;
  return inside && (address.hash.length > 1 || address.pathname !== location.pathname) ? link : undefined;
}

export function startPreviews(): void {
  if (!location.protocol.startsWith("http")) return;
  const wake = (event: Event): void => {
    // A finger has no way to rest on a link: it opens it.
    if (event instanceof PointerEvent && event.pointerType === "touch") return;
    const link = findLink(event.target);
    if (!link || (event.type === "focusin" && !link.matches(":focus-visible"))) return;
    card ??= import("./preview-card");
    card.then(
      (part) => part.aim(link, event),
      () => (card = undefined), // the next one tries again
    );
  };
  document.addEventListener("pointerover", wake, { passive: true });
  document.addEventListener("focusin", wake);
}
