// @ts-check
// A picture under one row of attention: what was looked at stays and turns orange, the rest is veiled.

import { svgNode } from "../charts/svg.js";
import { make } from "../dom.js";
import { t } from "../translate.js";
import { pictureImage } from "./picture_source.js";

export const VEIL = 0.8; // opacity over a cell without attention
export const CLEARED = 0.34; // how much less over the strongest

// Of the strongest weight in sight, steep at first as in every heatmap of the page.
export const lookShare = (weight, most) => (most > 0 ? Math.min(1, weight / most) ** 0.625 : 0);

export const cellName = (at, cells) =>
  t("row {row}, column {column}", { row: Math.floor(at / cells) + 1, column: (at % cells) + 1 });

export function createLook(source, cells) {
  const node = make("span", "tv-look");
  const veil = svgNode("svg", { viewBox: `0 0 ${cells} ${cells}`, "aria-hidden": "true", preserveAspectRatio: "none" });
  const squares = Array.from({ length: cells * cells }, (_, at) =>
    svgNode("rect", { x: at % cells, y: Math.floor(at / cells), width: 1, height: 1 }),
  );
  veil.append(...squares);
  node.append(pictureImage(source, "", ""), veil);
  return {
    node,
    veil,
    show(weights, most) {
      for (const [at, square] of squares.entries())
        square.style.setProperty("--share", lookShare(weights[at], most).toFixed(3));
    },
  };
}

// In a sentence: one cell by its name, several by their number.
export function chosenCells(weights, cells) {
  const chosen = [...weights.keys()].filter((at) => weights[at] > 0);
  return chosen.length === 1 ? cellName(chosen[0], cells) : t("{count} cells", { count: chosen.length });
}
