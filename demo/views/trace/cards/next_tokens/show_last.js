// @ts-check
// One line of pieces of which the last ones are shown, each of them whole, as many as fit.
import { make } from "../../../shared/dom.js";

/**
 * @param {HTMLElement} line a row that cuts what it has no room for
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
    const over = line.scrollWidth - line.clientWidth;
    const [first] = pieces;
    const far = pieces.findIndex((piece) => Math.abs(piece.offsetLeft - first.offsetLeft) >= over);
    const hidden = pieces.slice(0, far < 0 ? -1 : far); // the last one stays in any case
    for (const piece of hidden) piece.hidden = true;
    more.title = hidden.map((piece) => piece.textContent).join(" ");
  }

  function change() {
    cancelAnimationFrame(ticket);
    ticket = requestAnimationFrame(fit);
  }

  new ResizeObserver(change).observe(line); // also when it comes to be seen
  return { change };
}
