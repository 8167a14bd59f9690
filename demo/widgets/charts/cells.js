// @ts-check
// The cells of a painted heatmap and the gaps between them.
import { clamp } from "../view/numbers.js";
import { blend, svgNode } from "./svg.js";

/** @import { Plane } from "./plane.js" */

/**
 * One path for each colour. Colours are blended as Plotly does it, red, green and blue separately.
 * @param {any} trace
 * @param {Plane} plane
 * @returns {SVGElement}
 */
export function paintCells({ z, zmin, zmax, colorscale }, plane) {
  const colourOf = ramp(colorscale);
  const [width, height] = [plane.x(1) - plane.x(0), plane.y(1) - plane.y(0)];
  /** @type {Map<string, string>} */
  const paths = new Map();
  for (const [row, weights] of z.entries())
    for (const [column, weight] of weights.entries()) {
      if (weight === null) continue;
      const colour = colourOf((weight - zmin) / (zmax - zmin));
      const [x, y] = [plane.x(column - 0.5), plane.y(row - 0.5)];
      paths.set(colour, `${paths.get(colour) ?? ""}M${x},${y}h${width}v${height}h${-width}Z`);
    }
  const group = svgNode("g", { "shape-rendering": "crispEdges" });
  group.append(...[...paths].map(([fill, d]) => svgNode("path", { d, fill })));
  return group;
}

/**
 * @param {[number, string][]} stops shares and their colours, #rrggbb
 * @returns {(share: number) => string}
 */
export function ramp(stops) {
  const [first, last] = [stops[0][0], stops[stops.length - 1][0]];
  return (share) => {
    const position = clamp(share, first, last);
    const upper = Math.max(
      1,
      stops.findIndex(([end]) => position <= end),
    );
    const [[start, low], [end, high]] = [stops[upper - 1], stops[upper]];
    return blend(low, high, (position - start) / (end - start));
  };
}

/** @type {(trace: any, plane: Plane, layout: any) => SVGElement} */
export function paintGaps({ z, xgap }, plane, layout) {
  const [rows, columns] = [z.length, z[0]?.length ?? 0];
  const [right, bottom] = [plane.x(columns - 0.5), plane.y(rows - 0.5)];
  const between = (count) => Array.from({ length: count + 1 }, (_, index) => index - 0.5);
  const across = between(rows).map((row) => `M0,${plane.y(row)}H${right}`);
  const down = between(columns).map((column) => `M${plane.x(column)},0V${bottom}`);
  const d = [...across, ...down].join("");
  return svgNode("path", { d, stroke: layout.paper_bgcolor, "stroke-width": xgap });
}
