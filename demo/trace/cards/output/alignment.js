// @ts-check
// The source above the output: where the current output token looks, or which output tokens look at a source token.
import { findAll, isHidden, make, makeToken } from "../../../widgets/view/dom.js";
import { clamp } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { currentRow, wordRow } from "../../reading/attention_rows.js";
import { pathGroups, sourceGroups, sourceWord } from "../../reading/words.js";

/** @import { Change, Selection } from "../../reading/selection.js" */

/**
 * @param {Selection} selection
 * @param {HTMLElement} card
 */
export function createAlignment({ state, current }, card) {
  const [source, strip, status] = findAll(card, ".tv-band-source", ".tv-strip", ".tv-weights-text");

  const chips = (row) => /** @type {HTMLElement[]} */ ([...row.children]);
  /** @type {(row: HTMLElement, event: Event) => HTMLElement | null} */
  const chipAt = (row, { target }) =>
    chips(row).find((element) => element.contains(/** @type {Node} */ (target))) ?? null;
  const isAligned = () => Boolean(current() && state.model.attention && !isHidden("attention"));

  /** @type {(group: number[], index: number) => HTMLElement} */
  function chip(group, index) {
    const tokens = group.map((index) => state.model.source[index]);
    const className = tokens.some(({ unknown }) => unknown) ? "tv-word tv-unknown" : "tv-word";
    const word = make("span", className, makeToken("span", "", sourceWord(state, group)));
    const ids = tokens.map(({ id }) => id).join(" ");
    word.title = `${t("source token {at}", { at: index + 1 })} · id ${ids}`;
    return word;
  }

  function draw() {
    source.replaceChildren(...(state.model.picture ? [] : sourceGroups(state).map(chip)));
    source.hidden = !source.childElementCount; // a picture shows its own cells
  }

  /** @type {(row: HTMLElement, weights: number[] | null) => void} */
  function light(row, weights) {
    for (const [index, { style }] of chips(row).entries())
      style.setProperty("--weight", weights ? (weights[index] ?? 0).toFixed(3) : null);
  }

  const show = () => light(source, isAligned() ? currentRow(state) : null);

  /** @param {HTMLElement | null} output chip of the output under the pointer or with the focus */
  function lookFrom(output) {
    const group = output ? pathGroups(state)[chips(strip).indexOf(output)] : null;
    if (group && isAligned()) light(source, wordRow(state, group));
    else show();
  }

  /** @param {HTMLElement | null} word chip of the source */
  function lookAt(word) {
    const column = word ? chips(source).indexOf(word) : -1;
    const rows = column >= 0 && isAligned() ? pathGroups(state).map((group) => wordRow(state, group)) : null;
    light(strip, rows?.map((row) => row[column]) ?? null);
    strip.classList.toggle("tv-weighted", Boolean(rows));
    for (const element of chips(source)) element.classList.toggle("tv-at", element === word);
    status.textContent = word && document.activeElement === source ? `${word.textContent} ${word.title}` : "";
  }

  /** @param {KeyboardEvent} event while the row has the focus: the arrow keys visit its tokens one by one */
  function onKey(event) {
    const all = chips(source);
    const current = all.findIndex((element) => element.classList.contains("tv-at"));
    const next = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation(); // no key of these tokens steps through the output
    if (next === undefined) return;
    event.preventDefault();
    lookAt(all[clamp(next, 0, all.length - 1)]);
  }

  strip.addEventListener("mouseover", (event) => lookFrom(chipAt(strip, event)));
  strip.addEventListener("mouseleave", () => lookFrom(null));
  source.addEventListener("mouseover", (event) => lookAt(chipAt(source, event)));
  source.addEventListener("mouseleave", () => lookAt(null));
  source.addEventListener("focus", () => lookAt(chips(source)[0] ?? null));
  source.addEventListener("blur", () => lookAt(null));
  source.addEventListener("keydown", onKey);

  return {
    load: draw,
    /** @param {Change} change */
    update(change) {
      if (change === "words") draw();
      show();
    },
  };
}
