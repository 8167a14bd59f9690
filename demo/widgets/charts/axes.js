// @ts-check
// The numbers, words and titles along the axes of a painted figure: at the top and on the left, as Plotly places them.
import { roundPixels, svgNode, unescapeText } from "./svg.js";

/** @import { Figure } from "./charts.js" */
/** @import { Plane } from "./plane.js" */

const TICK_PIXELS = 5; // pixels; only a heatmap has ticks
const TICK_COLOUR = "#444";
const ASCENT_SHARE = 0.75; // share of the font size
const DESCENT_SHARE = 0.2; // share of the font size
const HALF_CAPITAL_SHARE = 0.35; // half the height of a capital letter, as a share of the font size

/** @typedef {{ position: number, text: string }} Tick position: pixels along the axis */

/** @type {CanvasRenderingContext2D | null} */
let canvas = null; // created on demand: the pure parts are tested without a page

/** @type {(ticks: Tick[], size: number, family: string) => number} pixels */
function widest(ticks, size, family) {
  canvas ??= document.createElement("canvas").getContext("2d");
  const measure = canvas;
  if (!measure) return 0;
  measure.font = `${size}px ${family}`;
  return Math.max(0, ...ticks.map(({ text }) => measure.measureText(text).width));
}

/**
 * @param {Figure} figure
 * @param {Plane} plane
 */
export function paintAxes({ data, layout }, plane) {
  const group = svgNode("g", {});
  const ticked = data.some(({ type }) => type === "heatmap");
  const look = { ...layout.font, gap: 1 + (ticked ? TICK_PIXELS + DESCENT_SHARE * layout.font.size : 0), ticked };
  const ticksOf = ({ tickvals, ticktext }, scale, length) =>
    tickvals
      .map((value, index) => ({ position: scale(value), text: unescapeText(String(ticktext[index])) }))
      .filter(({ position }) => position >= 0 && position <= length);
  const { xaxis, yaxis } = layout;
  if (xaxis.visible !== false) group.append(...paintTop(xaxis, ticksOf(xaxis, plane.x, plane.width), plane, look));
  if (yaxis.visible !== false) group.append(...paintLeft(yaxis, ticksOf(yaxis, plane.y, plane.height), plane, look));
  return group;
}

function paintTop(axis, ticks, { width }, { size, family, gap, ticked }) {
  const angle = axis.tickangle ?? 0;
  const [lean, y] = [(-angle * Math.PI) / 180, -gap - DESCENT_SHARE * size];
  const rise = Math.sin(lean) * widest(ticks, size, family) + (ASCENT_SHARE - 0.5) * size * Math.cos(lean) + size / 2;
  const labels = ticks.map(({ position, text }) => {
    const turn = angle ? ` rotate(${angle},0,${roundPixels(y - size / 2)})` : "";
    const transform = `translate(${position},0)${turn}`;
    const anchor = angle ? "start" : "middle";
    return svgNode("text", { transform, y: roundPixels(y), "text-anchor": anchor, "font-size": size }, text);
  });
  const level = -y + rise + axis.title.standoff + HALF_CAPITAL_SHARE * axis.title.font.size;
  const marks = ticks.map(({ position }) => `M${position},-1v${-TICK_PIXELS}`);
  return [...(ticked ? [tickMarks(marks)] : []), tickLabels("xtick", axis, labels), title(axis, width / 2, -level, 0)];
}

function paintLeft(axis, ticks, { height }, { size, family, gap, ticked }) {
  const look = { x: roundPixels(-gap), "text-anchor": "end", "font-size": size };
  const labels = ticks.map(({ position, text }) =>
    svgNode("text", { ...look, y: roundPixels(position + HALF_CAPITAL_SHARE * size) }, text),
  );
  const level = gap + widest(ticks, size, family) + axis.title.standoff + HALF_CAPITAL_SHARE * axis.title.font.size;
  const marks = ticks.map(({ position }) => `M-1,${position}h${-TICK_PIXELS}`);
  const label = title(axis, -level, height / 2, -90);
  return [...(ticked ? [tickMarks(marks)] : []), tickLabels("ytick", axis, labels), label];
}

/** @param {string[]} marks */
const tickMarks = (marks) => svgNode("path", { d: marks.join(""), stroke: TICK_COLOUR, "stroke-width": 1 });

function tickLabels(name, { tickfont }, labels) {
  const group = svgNode("g", { class: name, fill: tickfont.color });
  group.append(...labels);
  return group;
}

function title({ title: { text, font } }, x, y, angle) {
  const transform = `translate(${roundPixels(x)},${roundPixels(y)})${angle ? ` rotate(${angle})` : ""}`;
  return svgNode("text", { transform, "text-anchor": "middle", "font-size": font.size, fill: font.color }, text);
}
