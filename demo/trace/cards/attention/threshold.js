// @ts-check
// The slider that hides weak attention: only the strongest weights that together reach a share of a row are shown.
import { find, findAll, setText } from "../../../widgets/view/dom.js";
import { percentText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { currentRow, strongest } from "../../reading/attention_rows.js";
import { sourceGroups, sourceWord } from "../../reading/words.js";

/** @import { View } from "../../trace_card.js" */

/**
 * @param {View} view
 * @param {HTMLElement} card
 */
export function createThreshold({ selection }, card) {
  const slider = find(card, ".tv-strongest", HTMLInputElement);
  const [value, note] = findAll(card, ".tv-strongest-value", ".tv-strongest-note");
  const { state } = selection;
  slider.addEventListener("input", () => selection.keepMass(Number(slider.value) / 100));

  function update() {
    const node = selection.current();
    const share = Math.round(100 * state.mass);
    slider.value = String(share);
    value.textContent = `${share}%`;
    note.textContent = "";
    if (!node || !state.model.attention || state.mass === 1) return; // nobody asked
    const row = currentRow(state);
    const strong = strongest(row, state.mass).filter((weight) => weight > 0).length;
    const most = row.indexOf(Math.max(...row));
    const word = sourceWord(state, sourceGroups(state)[most]);
    const values = { place: word, percent: percentText(Math.log(row[most])), share, kept: strong, all: row.length };
    const text = t(
      "The attention of this step: {percent} on “{place}”; {share}% on {kept} of {all} parts of the source.",
      values,
    );
    setText(note, text);
  }

  return { update };
}
