// @ts-check
// The caption of a picture of a decoding: what was decoded, by which network and strategy, and what came out.
import { pictureSource } from "../../widgets/pictures/pictures.js";
import { t } from "../../widgets/view/translate.js";

/** @import { State } from "../reading/selection.js" */

const SIGNS = { kept: "●", finished: "◎", pruned: "○", lost: "◌" }; // signs of the page's legend as letters

/**
 * @param {State} state
 * @param {string} title of the chart
 * @param {Element} [card] may have a legend
 * @returns {import("../../widgets/charts/figures.js").Caption}
 */
export function pictureCaption({ model, hypothesis }, title, card) {
  const { trace, checkpoint, strategy } = model.payload;
  const source = pictureSource(trace.source_text) ? t("a picture") : trace.source_text;
  const output = model.hypotheses[hypothesis]?.text; // none for a path that the search dropped
  const entries = /** @type {HTMLElement[]} */ ([...(card?.querySelectorAll(":scope > header .tv-legend > li") ?? [])]);
  const legend = entries
    .filter((entry) => !entry.hidden && getComputedStyle(entry).display !== "none")
    .map((entry) => {
      const status = /** @type {HTMLElement | null} */ (entry.querySelector("[data-status]"))?.dataset.status ?? "";
      return `${SIGNS[status] ?? ""} ${entry.textContent}`.trim();
    });
  return {
    title,
    lines: [output === undefined ? source : `${source} → ${output}`, `${checkpoint} · ${strategy}`, legend.join(" · ")],
  };
}
