// The browser code of the gateway's own pages, which work without it: the colour scheme, the key that leads to the search field,
// and the words of a search, which go along to the page that is found.

import { isTyping } from "./dom";
import { keepWords, opensHere } from "./handover";
import { startScheme } from "./scheme";

startScheme();

// The words that a result was found with are marked on its page.
document.querySelector(".gate-tenant")?.parentElement?.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(".gate-results a") : null;
  const field = document.querySelector<HTMLInputElement>("#q");
  if (link && field && opensHere(event)) keepWords(field.defaultValue, link.pathname);
});

document.addEventListener("keydown", (event) => {
  const chord = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
  if (!chord && !slash) return;
  const field = document.querySelector<HTMLInputElement>("#q, #gate-find");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});
