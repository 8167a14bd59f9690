// @ts-check
// Paints our Plotly figures as SVG, before Plotly is loaded and in a tenth of its time: Plotly creates an element for
// each marker, text and edge, and lays the page out twice.

import { clamp } from "../view/numbers.js";
import { paintAxes } from "./axes.js";
import { blend, roundPixels, svgNode, unescapeText } from "./svg.js";

/** @import { Figure } from "./charts.js" */
/** @import { Plane } from "./plane.js" */

const DEFAULT_LINE = 2; // pixels, of a shape

/**
 * The figure without the painted parts: Plotly needs only the points that have hints, and the axes for zooming.
 * @param {Figure} figure
 * @returns {Figure}
 */
export function withoutPainting({ data, layout }) {
  const bare = ({ title: _, ...axis }) => ({ ...axis, showticklabels: false, ticks: "" });
  const { xaxis, yaxis } = layout;
  return {
    data: data.filter(({ hoverinfo }) => hoverinfo !== "skip").map(hintsOnly),
    layout: { ...layout, shapes: [], xaxis: bare(xaxis), yaxis: bare(yaxis) },
  };
}

function hintsOnly({ marker, text, textfont, textposition, cliponaxis, ...trace }) {
  // Without gaps Plotly draws a heatmap as an image of one pixel a cell.
  if (trace.type === "heatmap") return { ...trace, xgap: 0, ygap: 0 };
  return { ...trace, mode: "none", hoverlabel: { bgcolor: marker.line?.color ?? marker.color } };
}

/** A drawing of figures in the colours of the page. */
export function createPainting() {
  const paper = svgNode("svg", { class: "tv-painting" });
  /** @type {Plane} */
  let plane;
  let [below, above] = [svgNode("g", {}), svgNode("g", {})];

  /** @type {(figure: Figure, where: Plane) => void} */
  function paint({ data, layout }, where) {
    plane = where;
    const [corner, plot] = [svgNode("g", {}), clipToPlane(plane)];
    paper.setAttribute("font-family", layout.font.family);
    corner.setAttribute("transform", `translate(${plane.left},${plane.top})`);
    [below, above] = [svgNode("g", {}), svgNode("g", {})];
    const visible = data.filter(({ visible }) => visible !== false);
    plot.append(below, ...visible.flatMap((trace) => paintLines(trace, plane, layout)));
    const front = clipToPlane(plane);
    front.append(above);
    corner.append(plot, ...visible.flatMap((trace) => paintPoints(trace, plane)), front);
    corner.append(paintAxes({ data, layout }, plane));
    mark(layout.shapes ?? []);
    paper.replaceChildren(corner);
  }

  /** @param {any[]} shapes in the colours of the page */
  function mark(shapes) {
    const shapesIn = (isBelow) => shapes.filter(({ layer }) => (layer === "below") === isBelow);
    below.replaceChildren(...shapesIn(true).flatMap((shape) => paintShape(shape, plane)));
    above.replaceChildren(...shapesIn(false).flatMap((shape) => paintShape(shape, plane)));
  }

  // Plotly measures the page, which would otherwise lay out the old painting.
  const clear = () => paper.replaceChildren();

  return { paper, paint, mark, clear };
}

/** @param {Plane} plane */
const clipToPlane = ({ width, height }) => svgNode("svg", { width, height, overflow: "hidden" });

/** @type {(trace: any, plane: Plane, layout: any) => SVGElement[]} edges, or a heatmap's cells and the gaps between */
function paintLines(trace, plane, layout) {
  if (trace.type === "heatmap") return [paintCells(trace, plane), paintGaps(trace, plane, layout)];
  if (trace.mode !== "lines") return [];
  const { width, color, dash } = trace.line;
  const look = { fill: "none", stroke: color, "stroke-width": width, "stroke-miterlimit": 2, opacity: trace.opacity };
  const line = svgNode("path", { "data-part": trace.meta, d: brokenLine(trace, plane), ...look });
  if (dash !== "solid") line.setAttribute("stroke-dasharray", dash);
  return [line];
}

/** @type {(line: { x: (number | null)[], y: (number | null)[] }, plane: Plane) => string} */
function brokenLine({ x, y }, plane) {
  let path = "";
  let pen = "M";
  for (const [index, value] of x.entries()) {
    if (value === null) pen = "M";
    else {
      path += `${pen}${plane.x(value)},${plane.y(/** @type {number} */ (y[index]))}`;
      pen = "L";
    }
  }
  return path;
}

const MARKERS = /** @type {Record<string, (x: number, y: number, size: number) => string>} */ ({
  circle: (x, y, size) => {
    const half = size / 2;
    return `M${x + half},${y}a${half},${half} 0 1 1 ${-size},0a${half},${half} 0 1 1 ${size},0Z`;
  },
  square: (x, y, size) => `M${x - size / 2},${y - size / 2}h${size}v${size}h${-size}Z`,
});

/** @type {(trace: any, plane: Plane) => SVGElement[]} markers and their texts */
function paintPoints(trace, plane) {
  if (!trace.mode?.match(/markers|text/)) return [];
  const points = trace.x.map((x, index) => ({ index, x: plane.x(x), y: plane.y(trace.y[index]) }));
  const visible = points.filter(({ x, y }) => x >= 0 && y >= 0 && x <= plane.width && y <= plane.height);
  const group = svgNode("g", { "data-part": trace.meta });
  if (trace.marker) group.append(paintMarkers(trace.marker, visible));
  if (trace.text) group.append(...paintTexts(trace, visible));
  return [group];
}

function paintMarkers({ symbol, size, color, line }, points) {
  const open = symbol.endsWith("-open");
  const one = MARKERS[symbol.replace("-open", "")];
  const d = points.map(({ x, y }) => one(x, y, size)).join("");
  const stroke = open ? color : (line?.color ?? "none");
  return svgNode("path", { d, fill: open ? "none" : color, stroke, "stroke-width": line?.width ?? 0 });
}

// The texts stand where Plotly puts them: right of the marker and above it, or level with the point.
function paintTexts({ text, textfont, textposition, marker }, points) {
  const { size, color } = textfont;
  const apart = marker ? marker.size / 1.6 + 1 : 0;
  const lift = textposition.startsWith("top") ? -0.25 * size - apart : 0.25 * size;
  const look = { "font-size": size, fill: color };
  return points
    .filter(({ index }) => text[index])
    .map(({ index, x, y }) =>
      svgNode("text", { x: roundPixels(x + apart), y: roundPixels(y + lift), ...look }, unescapeText(text[index])),
    );
}

/** @type {(shape: any, plane: Plane) => SVGElement[]} */
function paintShape(shape, plane) {
  const { line, fillcolor = "none", label } = shape;
  const width = line.width ?? DEFAULT_LINE;
  const look = { fill: fillcolor, stroke: width ? line.color : "none", "stroke-width": width };
  if (shape.type === "path") return [svgNode("path", { d: placedPath(shape.path, plane), ...look })];
  const [x0, x1, y0, y1] = corners(shape, plane);
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  if (shape.type === "circle") return [svgNode("circle", { cx: x, cy: y, r: Math.abs(x1 - x0) / 2, ...look })];
  const [left, top] = [Math.min(x0, x1), Math.min(y0, y1)];
  const size = { width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) };
  const frame = svgNode("rect", { x: left, y: top, ...size, ...look });
  if (!label) return [frame];
  const style = { x, y, "text-anchor": "middle", dy: "0.35em", "font-size": label.font.size, fill: label.font.color };
  return [frame, svgNode("text", style, unescapeText(label.text))];
}

/** @type {(shape: any, plane: Plane) => [number, number, number, number]} */
function corners({ x0, x1, y0, y1, yref, xsizemode, xanchor, yanchor }, plane) {
  if (xsizemode === "pixel") {
    const [x, y] = [plane.x(xanchor), plane.y(yanchor)];
    return [x + x0, x + x1, y - y0, y - y1];
  }
  const y = yref === "paper" ? (value) => plane.height * (1 - value) : plane.y;
  return [plane.x(x0), plane.x(x1), y(y0), y(y1)];
}

/** @type {(path: string, plane: Plane) => string} only moves and lines */
const placedPath = (path, plane) =>
  path.replace(/([ML])([^,]+),([^ML ]+)/g, (_, pen, x, y) => `${pen}${plane.x(+x)},${plane.y(+y)}`);

/**
 * One path for each colour. Colours are blended as Plotly does it, red, green and blue separately.
 * @param {any} trace
 * @param {Plane} plane
 * @returns {SVGElement}
 */
function paintCells({ z, zmin, zmax, colorscale }, plane) {
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
function paintGaps({ z, xgap }, plane, layout) {
  const [rows, columns] = [z.length, z[0]?.length ?? 0];
  const [right, bottom] = [plane.x(columns - 0.5), plane.y(rows - 0.5)];
  const between = (count) => Array.from({ length: count + 1 }, (_, index) => index - 0.5);
  const across = between(rows).map((row) => `M0,${plane.y(row)}H${right}`);
  const down = between(columns).map((column) => `M${plane.x(column)},0V${bottom}`);
  const d = [...across, ...down].join("");
  return svgNode("path", { d, stroke: layout.paper_bgcolor, "stroke-width": xgap });
}
