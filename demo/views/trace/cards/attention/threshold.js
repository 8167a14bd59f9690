// @ts-check
// The slider that hides weak attention: only the strongest weights that together reach a share of a row are shown.
import { find, findAll } from "../../../shared/dom.js";
import { t } from "../../../shared/translate.js";
import { currentRow, strongest } from "../../reading/attention_rows.js";
import { merging } from "../../reading/words.js";

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
    slider.value = String(Math.round(100 * state.mass));
    value.textContent = `${Math.round(100 * state.mass)}%`;
    if (!node || !state.model.attention) return;
    const row = currentRow(state);
    const count = strongest(row, state.mass < 1 ? state.mass : 0.9).filter((weight) => weight > 0).length;
    const values = { kept: count, all: row.length, share: Math.round(100 * (state.mass < 1 ? state.mass : 0.9)) };
    note.textContent = state.model.picture
      ? t("At this step {kept} of {all} cells hold {share}% of the attention.", values)
      : merging(state)
        ? t("At this step {kept} of {all} source words hold {share}% of the attention.", values)
        : t("At this step {kept} of {all} source tokens hold {share}% of the attention.", values);
  }

  return { update };
}
