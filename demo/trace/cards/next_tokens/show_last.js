// @ts-check
// Shows the last pieces of a line, as many as fit, each of them complete.
import { make } from "../../../widgets/view/dom.js";

/**
 * @param {HTMLElement} line a row that clips its content
 * @param {string} selector of the pieces in it
 */
export function showLast(line, selector) {
  const more = make("span", "tv-lead", "…");
  let ticket = 0; // animation frame in which the pieces are measured

  function fit() {
    const pieces = /** @type {HTMLElement[]} */ ([...line.querySelectorAll(selector)]);
    more.remove();
    for (const piece of pieces) piece.hidden = false;
    if (line.scrollWidth <= line.clientWidth || !pieces.length) return;
    pieces[0].before(more);
    const overflow = line.scrollWidth - line.clientWidth;
    const [first] = pieces;
    const far = pieces.findIndex((piece) => Math.abs(piece.offsetLeft - first.offsetLeft) >= overflow);
    const hidden = pieces.slice(0, far < 0 ? -1 : far); // the last one always stays
    for (const piece of hidden) piece.hidden = true;
    more.title = hidden.map((piece) => piece.textContent).join(" ");
  }

  function change() {
    cancelAnimationFrame(ticket);
    ticket = requestAnimationFrame(fit);
  }

  new ResizeObserver(change).observe(line); // the observer also calls it when the line becomes visible
  return { change };
}
