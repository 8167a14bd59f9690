// @ts-check
// A picture under one row of attention: cells with attention turn orange, the rest is veiled.

import { svgNode } from "../charts/svg.js";
import { make } from "../view/dom.js";
import { t } from "../view/translate.js";
import { pictureImage } from "./picture_source.js";

export const VEIL = 0.8; // opacity over a cell without attention
export const CLEARED = 0.34; // how much lower it is over the cell with the most attention

// A weight as a share of the strongest, steep at first as in every heatmap of the page.
export const lookShare = (weight, most) => (most > 0 ? Math.min(1, weight / most) ** 0.625 : 0);

export const cellName = (index, cells) =>
  t("row {row}, column {column}", { row: Math.floor(index / cells) + 1, column: (index % cells) + 1 });

export function createOverlay(source, cells) {
  const veil = svgNode("svg", { viewBox: `0 0 ${cells} ${cells}`, "aria-hidden": "true", preserveAspectRatio: "none" });
  const squares = Array.from({ length: cells * cells }, (_, index) =>
    svgNode("rect", { x: index % cells, y: Math.floor(index / cells), width: 1, height: 1 }),
  );
  veil.append(...squares);
  return {
    node: make("span", "tv-overlay", pictureImage(source, "", ""), veil),
    veil,
    show(weights, most) {
      for (const [index, square] of squares.entries())
        square.style.setProperty("--share", lookShare(weights[index], most).toFixed(3));
    },
  };
}

// The cells with attention for a sentence: one by its name, several by their number.
export function cellsText(weights, cells) {
  const cellIndices = [...weights.keys()].filter((index) => weights[index] > 0);
  return cellIndices.length === 1 ? cellName(cellIndices[0], cells) : t("{count} cells", { count: cellIndices.length });
}
