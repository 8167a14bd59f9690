// @ts-check
// Marks over the charts of the cards, as Plotly's shapes.

/** @typedef {{ color: string, width: number, dash?: string }} Line */

/** @type {(x: [number, number], y: [number, number], line: Line) => object} */
export const frame = ([x0, x1], [y0, y1], line) => ({ type: "rect", x0, x1, y0, y1, line, layer: "above" });

/** @type {(x: number, fillcolor: string) => object} behind all data of a column */
export function columnBand(x, fillcolor) {
  const band = { x0: x - 0.5, x1: x + 0.5, y0: 0, y1: 1, fillcolor, line: { width: 0 } };
  return { type: "rect", yref: "paper", layer: "below", ...band };
}

/** @type {(anchor: [number, number], x: [number, number], y: [number, number]) => object} pixels around a point */
export function around([xanchor, yanchor], [x0, x1], [y0, y1]) {
  return { xsizemode: "pixel", ysizemode: "pixel", xanchor, yanchor, x0, x1, y0, y1 };
}

/** @type {(center: [number, number], radius: number, line: Line) => object} `radius` in pixels */
export const ring = (center, radius, line) => ({
  type: "circle",
  ...around(center, [-radius, radius], [-radius, radius]),
  line,
});
