// @ts-check
// Lets the reader direct the attention to cells of the picture, by clicks or strokes; all chosen cells weigh the same.

import { stopAt } from "../../../widgets/menus/roving.js";
import { cellName } from "../../../widgets/pictures/pictures.js";
import { elementOf, find, make, makeButton } from "../../../widgets/view/dom.js";
import { clamp } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";

/** @import { View } from "../../trace_card.js" */

/**
 * @param {View} view
 * @param {HTMLElement} card
 */
export function createPictureCells({ selection }, card) {
  const large = find(card, ".tv-picture-large");
  const { state } = selection;
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** @type {boolean | null} */
  let stroke = null; // whether the stroke in progress chooses cells or clears them
  let notify = () => {};

  const cellsOnASide = () => state.model.picture?.cells ?? 0;
  /** @param {Element} button */
  const isOn = (button) => button.getAttribute("aria-pressed") === "true";

  /** @type {(button: Element, on: boolean) => void} */
  function set(button, on) {
    button.setAttribute("aria-pressed", String(on));
    notify();
  }

  /** @param {number} index */
  function cell(index) {
    // A click without detail comes from the keyboard.
    const button = makeButton("tv-cell", ({ detail }) => {
      if (!detail) set(button, !isOn(button));
    });
    const ariaLabel = cellName(index, cellsOnASide());
    return Object.assign(button, { ariaPressed: "false", ariaLabel, tabIndex: index ? -1 : 0 });
  }

  function close() {
    large.querySelector(".tv-cell-grid")?.remove();
    buttons = [];
  }

  /** @param {() => void} onChange */
  function open(onChange) {
    close();
    notify = onChange;
    const cells = cellsOnASide();
    buttons = Array.from({ length: cells * cells }, (_, index) => cell(index));
    const grid = make("div", "tv-cell-grid", ...buttons);
    Object.assign(grid, { role: "group", ariaLabel: t("Cells of the picture: choose those to look at") });
    grid.style.setProperty("--cells", String(cells));
    /** @param {Event} event @returns {HTMLElement | null} */
    const cellOf = (event) => elementOf(event).closest(".tv-cell");
    grid.addEventListener("pointerdown", (event) => {
      const target = cellOf(event);
      if (!target) return;
      target.releasePointerCapture?.(event.pointerId); // otherwise a finger captures its first cell
      stroke = !isOn(target);
      set(target, stroke);
    });
    grid.addEventListener("pointerover", (event) => {
      const target = cellOf(event);
      if (event.buttons && stroke !== null && target) set(target, stroke);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      grid.addEventListener(end, () => {
        stroke = null;
      });
    grid.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: cells, ArrowUp: -cells }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // these keys also belong to the stepper
      const current = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
      const next = buttons[clamp(current + step, 0, buttons.length - 1)];
      stopAt(buttons, next);
      next.focus();
    });
    large.append(grid);
  }

  return { open, close, values: () => buttons.map((button) => (isOn(button) ? 1 : 0)) };
}
