// @ts-check
// The source above the output: what the token at hand looks at, or which output tokens look at a source token.
import { find, isHidden, makeButton, makeToken } from "../../../shared/dom.js";
import { rove } from "../../../shared/roving.js";
import { t } from "../../../shared/translate.js";
import { currentRow, wordRow } from "../../reading/attention_rows.js";
import { pathGroups, sourceGroups, wordText } from "../../reading/words.js";

/** @import { Change, Selection } from "../../reading/selection.js" */

/**
 * @param {Selection} selection
 * @param {HTMLElement} card
 */
export function createAlignment({ state, current }, card) {
  const [source, strip] = [find(card, ".tv-band-source"), find(card, ".tv-strip")];

  const chips = (row) => /** @type {HTMLElement[]} */ ([...row.children]);
  const aligned = () => Boolean(current() && state.model.attention && !isHidden("attention"));

  /** @type {(group: number[], at: number) => HTMLElement} */
  function chip(group, at) {
    const tokens = group.map((place) => state.model.source[place]);
    const button = makeButton("tv-word", () => {});
    button.append(makeToken("span", "", wordText(tokens.map((token) => state.model.label(token.surface)))));
    button.title = t("source token {at}", { at: at + 1 });
    button.tabIndex = at ? -1 : 0;
    button.classList.toggle(
      "tv-unknown",
      tokens.some((token) => token.unknown),
    );
    return button;
  }

  function draw() {
    source.replaceChildren(...(state.model.picture ? [] : sourceGroups(state).map(chip)));
    source.hidden = !source.childElementCount; // a picture shows its own cells
  }

  /** @type {(row: HTMLElement, weights: number[] | null) => void} */
  function light(row, weights) {
    for (const [at, each] of chips(row).entries()) {
      if (weights) each.style.setProperty("--look", (weights[at] ?? 0).toFixed(3));
      else each.style.removeProperty("--look");
    }
  }

  const show = () => light(source, aligned() ? currentRow(state) : null);

  /** @param {HTMLElement | null} output chip of the output under the pointer or with the focus */
  function lookFrom(output) {
    const group = output ? pathGroups(state)[chips(strip).indexOf(output)] : null;
    if (group && aligned()) light(source, wordRow(state, group));
    else show();
  }

  /** @param {HTMLElement | null} word chip of the source */
  function lookAt(word) {
    const column = word ? chips(source).indexOf(word) : -1;
    const rows = column >= 0 && aligned() ? pathGroups(state).map((group) => wordRow(state, group)) : null;
    light(strip, rows?.map((row) => row[column]) ?? null);
    strip.classList.toggle("tv-looked", Boolean(rows));
  }

  const chipOf = ({ target }) => chips(strip).find((each) => each.contains(target)) ?? null;
  strip.addEventListener("mouseover", (event) => lookFrom(chipOf(event)));
  strip.addEventListener("mouseleave", () => lookFrom(null));
  rove(source, lookAt);
  // The arrow keys move among these tokens, not through the steps.
  source.addEventListener("keydown", (event) => event.stopPropagation());

  return {
    load: draw,
    /** @param {Change} change */
    update(change) {
      if (change === "words") draw();
      show();
    },
  };
}
