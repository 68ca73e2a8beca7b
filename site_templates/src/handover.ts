// Hands the words of a search over to the page that a result leads to. They wait in this tab alone, until its next page is there: never in the address.

const KEY = "brain-searched";

/** True where text can be marked without changing the page. */
export const canMark = (): boolean => typeof CSS !== "undefined" && "highlights" in CSS;

/** Tells whether a click opens its link in this tab. */
export function opensHere(event: MouseEvent): boolean {
  return event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
}

export function keepWords(query: string, path: string): void {
  try {
    if (canMark() && query) sessionStorage.setItem(KEY, JSON.stringify([path, query]));
  } catch {
    // Storage may be switched off: then nothing is marked.
  }
}

/** Returns the words that were kept for this page, once; none when another page was opened after all. */
export function takeWords(): string {
  try {
    const kept = sessionStorage.getItem(KEY);
    if (!kept) return "";
    sessionStorage.removeItem(KEY);
    const [path, query] = JSON.parse(kept) as [string, string];
    return path === location.pathname && canMark() ? query : "";
  } catch {
    return "";
  }
}
