// @ts-check
// Covers the parts that would give an answer away, until the reader has predicted it.
import { make } from "../../shared/dom.js";

const AGAIN_MILLISECONDS = 300; // a part may be drawn later
// Stripes in place of the content, which keeps its size: a blur would still show bars and curves.
const COLOURS = "var(--background-fill-secondary) 0 10px, var(--border-color-primary) 10px 20px";
const STRIPES = `repeating-linear-gradient(135deg, ${COLOURS})`;
const COVER = `user-select: none; color: transparent !important; background: ${STRIPES} !important;`;

export function createVeil() {
  const style = make("style");
  document.head.append(style);
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** @type {Element[]} */
  let covered = [];
  /** @type {Element[]} */
  let panes = []; // panes with a covered part, which take the focus themselves so that the keyboard scrolls them

  /** @param {string} [selectors] of the parts to cover; without them, all are uncovered */
  return (selectors) => {
    clearInterval(timer);
    for (const element of covered) element.removeAttribute("inert");
    for (const pane of panes) pane.removeAttribute("tabindex");
    covered = [];
    panes = [];
    const hidden = `:is(${selectors}):not([role="tab"])`; // a tab's name does not give the answer away
    style.textContent = selectors ? `${hidden} { ${COVER} } ${hidden} * { opacity: 0 !important; }` : "";
    if (!selectors) return;
    // `inert` keeps the keyboard and screen readers away.
    const mark = () => {
      covered = [...document.querySelectorAll(hidden)];
      for (const element of covered) {
        element.setAttribute("inert", "");
        const pane = element.closest(".tv-pane-body:not([tabindex])");
        if (!pane) continue;
        pane.setAttribute("tabindex", "0");
        panes.push(pane);
      }
    };
    mark();
    timer = setInterval(mark, AGAIN_MILLISECONDS);
  };
}
