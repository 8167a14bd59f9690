// @ts-check
// Covers what would give an answer away, until the reader has predicted it.
import { make } from "../../shared/dom.js";

export function createVeil() {
  const style = make("style");
  document.head.append(style);
  /** @param {string} [selectors] of what is covered; nothing: all is seen */
  return (selectors) => {
    style.textContent = selectors ? `:is(${selectors}) { filter: blur(9px); user-select: none; }` : "";
  };
}
