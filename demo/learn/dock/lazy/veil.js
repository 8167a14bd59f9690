// @ts-check
// Covers the parts that would give an answer away, until the reader has predicted it.
import { make } from "../../../widgets/view/dom.js";

const REPEAT_MILLISECONDS = 300; // a part may be drawn after the others
// Stripes in place of the content, which keeps its size: a blur would still show bars and curves.
const COLOURS = "var(--background-fill-secondary) 0 10px, var(--border-color-primary) 10px 20px";
const STRIPES = `repeating-linear-gradient(135deg, ${COLOURS})`;
const COVER = `user-select: none; color: transparent !important; background: ${STRIPES} !important;`;
// A pane that contains a covered part does not scroll: a scrolling box needs an element that can have the focus,
// and here there may be none.
const COVERED_PANE = ".tv-pane-body:has([inert])";

export function createVeil() {
  const style = make("style");
  document.head.append(style);
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** @type {Element[]} */
  let covered = [];

  /** @param {string} [selectors] of the parts to cover; without them, all are uncovered */
  return (selectors) => {
    clearInterval(timer);
    for (const element of covered) element.removeAttribute("inert");
    covered = [];
    const hidden = `:is(${selectors}):not([role="tab"])`; // a tab's name does not give the answer away
    const rules = `${hidden} { ${COVER} } ${hidden} * { opacity: 0 !important; } ${COVERED_PANE} { overflow: hidden !important; }`;
    style.textContent = selectors ? rules : "";
    if (!selectors) return;
    // `inert` keeps the keyboard and screen readers away.
    const mark = () => {
      covered = [...document.querySelectorAll(hidden)];
      for (const element of covered) element.setAttribute("inert", "");
    };
    mark();
    timer = setInterval(mark, REPEAT_MILLISECONDS);
  };
}
