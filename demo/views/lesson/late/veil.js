// @ts-check
// Covers what would give an answer away, until the reader has predicted it.
import { make } from "../../shared/dom.js";

const AGAIN_MILLISECONDS = 300; // a part may be drawn later

export function createVeil() {
  const style = make("style");
  document.head.append(style);
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** @type {Element[]} */
  let covered = [];

  /** @param {string} [selectors] of what is covered; nothing: all is seen */
  return (selectors) => {
    clearInterval(timer);
    for (const element of covered) element.removeAttribute("inert");
    covered = [];
    const hidden = `:is(${selectors}):not([role="tab"])`; // a tab's name gives nothing away
    style.textContent = selectors ? `${hidden} { filter: blur(9px); user-select: none; }` : "";
    if (!selectors) return;
    // Neither the keyboard nor a screen reader comes to it.
    const mark = () => {
      covered = [...document.querySelectorAll(hidden)];
      for (const element of covered) element.setAttribute("inert", "");
    };
    mark();
    timer = setInterval(mark, AGAIN_MILLISECONDS);
  };
}
