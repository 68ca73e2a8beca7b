// Before a page is printed: finds the tables that fit on paper with their words whole. Styles alone cannot tell, and cut words anywhere so that nothing is lost.

/** Pixels between the margins of A4, and a little less; American paper is wider. */
const PAPER = 650;

export function startPrint(): void {
  addEventListener("beforeprint", () => {
    for (const table of document.querySelectorAll<HTMLElement>(".brain-article .brain-table > table")) {
      table.classList.add("is-measured");
      table.dataset.paper = "whole";
      if (table.offsetWidth > PAPER) table.dataset.paper = "words";
      if (table.offsetWidth > PAPER) delete table.dataset.paper;
      table.classList.remove("is-measured");
    }
  });
}
