// @ts-check
// The attention of one step over the source tokens, the pickers for layer and head, and the slider that hides weak
// attention.
import { find, findAll, make, makeToken, setText } from "../../../widgets/view/dom.js";
import { numberText, percentText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { currentRow, merging, sourceGroups, sourceWord, strongest } from "../../reading/words.js";

/** @import { Change, Model, View } from "../../trace_card.js" */

/** @param {View} view @param {HTMLElement} card @param {(column: number | null) => void} onHover */
export function createSource({ selection }, card, onHover) {
  const [list, more] = [find(card, ".tv-source"), find(card, ".tv-more")];
  const pickers = [".tv-layer select", ".tv-head select"].map((name) => find(card, name, HTMLSelectElement));
  const slider = find(card, ".tv-strongest", HTMLInputElement);
  const [value, note] = findAll(card, ".tv-strongest-value", ".tv-strongest-note");
  const { state } = selection;
  slider.addEventListener("input", () => selection.keepMass(Number(slider.value) / 100));

  function pick() {
    const [layer, head] = pickers.map(({ value }) => (value === "" ? null : Number(value)));
    selection.chooseHead(layer, head);
  }

  for (const picker of pickers) picker.addEventListener("change", pick);

  /** @type {(group: number[], column: number) => HTMLElement} */
  function chip(group, column) {
    const node = make("span", "tv-chip tv-src", makeToken("b", "", sourceWord(state, group)), make("small"));
    const unknown = group.some((index) => state.model.source[index].unknown);
    node.classList.toggle("tv-unknown", unknown);
    const values = { at: column + 1 };
    const called = merging(state) ? t("source word {at}", values) : t("source token {at}", values);
    node.title = `${called}${unknown ? `, ${t("unknown to the vocabulary")}` : ""}`;
    node.addEventListener("pointerenter", () => onHover(column));
    node.addEventListener("pointerleave", () => onHover(null));
    return node;
  }

  /** @param {Model} model */
  function load(model) {
    for (const part of [card, more]) part.classList.toggle("tv-without", !model.attention);
    find(card, ".tv-no-attention").textContent = model.attention ? "" : model.payload.captions.none;
    for (const [index, picker] of pickers.entries()) {
      const count = model.attention?.shape[index] ?? 0;
      find(card, index ? ".tv-head" : ".tv-layer").hidden = count < 2;
      const numbered = Array.from({ length: count }, (_, index) => new Option(String(index + 1), String(index)));
      picker.replaceChildren(new Option(t("mean"), ""), ...numbered);
    }
    draw();
  }

  function draw() {
    list.replaceChildren(...(state.model.picture ? [] : sourceGroups(state).map(chip))); // a picture has its own view
    show();
  }

  /** @param {Change} change */
  function update(change) {
    if (change === "words") draw();
    else show();
  }

  function show() {
    for (const [index, picker] of pickers.entries()) picker.value = String([state.layer, state.head][index] ?? "");
    const share = Math.round(100 * state.mass);
    slider.value = String(share);
    value.textContent = `${share}%`;
    note.textContent = "";
    if (!selection.current() || !state.model.attention) return;
    const weights = currentRow(state);
    const strongWeights = strongest(weights, state.mass);
    if (state.mass !== 1) showStrongest(weights, strongWeights, share);
    /** @type {HTMLElement[]} */ ([...list.children]).forEach((item, column) => {
      item.style.setProperty("--share", strongWeights[column].toFixed(3));
      item.classList.toggle("tv-blank-weight", strongWeights[column] === 0 && weights[column] > 0);
      find(item, "small").textContent = numberText(weights[column]);
    });
  }

  /** @type {(row: number[], strong: number[], share: number) => void} */
  function showStrongest(row, strong, share) {
    const most = row.indexOf(Math.max(...row));
    const word = sourceWord(state, sourceGroups(state)[most]);
    const count = strong.filter((weight) => weight > 0).length;
    const values = { place: word, percent: percentText(Math.log(row[most])), share, kept: count, all: row.length };
    const text = t(
      "The attention of this step: {percent} on “{place}”; {share}% on {kept} of {all} parts of the source.",
      values,
    );
    setText(note, text);
  }

  return { load, update };
}
