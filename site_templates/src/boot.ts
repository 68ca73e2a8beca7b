// Runs before anything is painted: tells the styles that scripts work, and applies the colour scheme the reader chose. Loaded in the head, blocking.

const root = document.documentElement;
// Opened as a file, a page may load neither modules nor the index; it then looks as it does without scripts.
if (location.protocol !== "file:") root.classList.replace("no-js", "js");
try {
  const scheme = localStorage.getItem("brain-scheme");
  if (scheme === "light" || scheme === "dark") root.dataset.scheme = scheme;
} catch {
  // Storage may be switched off; then the scheme follows the system.
}
