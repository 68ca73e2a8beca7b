// The browser code of the gateway's own pages, which work without it: the colour scheme, and the key that leads to the search field.

import { isTyping } from "./dom";
import { startScheme } from "./scheme";

startScheme();

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
