// @ts-check
// Edits one attention row: a slider for each source token, whose shares sum to 1. For a picture the reader chooses
// cells instead.

import { leaveMenu } from "../../../widgets/menus/menu.js";
import { stopAt } from "../../../widgets/menus/roving.js";
import { cellName } from "../../../widgets/pictures/pictures.js";
import { elementOf, find, findAll, make, makeButton, makeToken } from "../../../widgets/view/dom.js";
import { clamp, numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";

/** @import { Token, View } from "../../trace_card.js" */

const SLIDER_MAX = 1000;

/** @param {View} view @param {HTMLElement} card */
export function createAttentionEdit(view, card) {
  const { selection, edits } = view;
  const [open, editor] = findAll(card, ".tv-edit-attention", ".tv-row-editor");
  const [title, list, cancel] = findAll(editor, ".tv-row-title", "ol", ".tv-cancel");
  const apply = find(editor, ".tv-apply", HTMLButtonElement);
  const cells = createPictureCells(view, card);
  const { state } = selection;
  /** @type {HTMLInputElement[]} */
  let sliders = [];

  const values = () => (state.model.picture ? cells.values() : sliders.map((slider) => Number(slider.value)));
  const total = () => values().reduce((sum, value) => sum + value, 0);

  function shares() {
    const sum = total();
    return values().map((value) => (sum ? value / sum : 0));
  }

  function show() {
    const texts = state.model.picture ? [] : shares().map((share) => numberText(share));
    for (const [index, text] of texts.entries()) {
      find(list.children[index], ".tv-number").textContent = text;
      sliders[index].ariaValueText = text;
    }
    apply.disabled = total() === 0;
  }

  /** @type {(token: Token, weight: number) => HTMLElement} */
  function line(token, weight) {
    const slider = make("input");
    const label = state.model.label(token.surface);
    Object.assign(slider, { type: "range", min: 0, max: SLIDER_MAX, value: Math.round(SLIDER_MAX * weight) });
    slider.ariaLabel = t("Attention to {token}", { token: label });
    slider.addEventListener("input", show);
    const only = makeButton("tv-only", () => {
      for (const other of sliders) other.value = String(other === slider ? SLIDER_MAX : 0);
      show();
    });
    only.textContent = t("all here");
    sliders.push(slider);
    return make("li", "", makeToken("span", "tv-token", label), slider, only, make("span", "tv-number"));
  }

  function fill() {
    const { model, layer, head } = state;
    const weights = model.weights(model.row(selection.current()), layer, head);
    sliders = [];
    list.replaceChildren(...(model.picture ? [] : model.source.map((token, index) => line(token, weights[index]))));
    if (model.picture) cells.open(show);
    const instruction = model.picture
      ? t("Choose the cells of the picture that the model should look at, then decode again.")
      : t("Move the sliders, then decode again.");
    const heading = t("Attention while writing token {at}", { at: state.step + 1 });
    title.textContent = t("{heading}. {text}", { heading: `${heading}${scopeText()}`, text: instruction });
    show();
  }

  function scopeText() {
    const scope = [
      ...(state.layer === null ? [] : [t("layer {at}", { at: state.layer + 1 })]),
      ...(state.head === null ? [] : [t("head {at}", { at: state.head + 1 })]),
    ];
    if (scope.length) return `, ${scope.join(", ")}`;
    const [layers, heads] = state.model.attention?.shape ?? [1, 1];
    return layers * heads > 1 ? `, ${t("in every layer and head")}` : "";
  }

  /** @param {boolean} on */
  function toggle(on) {
    editor.hidden = !on;
    open.setAttribute("aria-expanded", String(on));
    if (on) fill();
    else cells.close();
  }

  open.addEventListener("click", () => {
    toggle(editor.hidden);
    leaveMenu(open);
    if (!editor.hidden) /** @type {HTMLElement | null} */ (editor.querySelector("input, button"))?.focus();
  });
  cancel.addEventListener("click", () => {
    toggle(false);
    leaveMenu(open);
  });
  apply.addEventListener("click", () => edits.attend(shares()));

  return {
    load: () => toggle(false),
    // Another step or head has a row of its own.
    update: () => {
      if (!editor.hidden) fill();
    },
  };
}

/**
 * Lets the reader direct the attention to cells of the picture, by clicks or strokes; all chosen cells weigh the same.
 * @param {View} view
 * @param {HTMLElement} card
 */
function createPictureCells({ selection }, card) {
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
