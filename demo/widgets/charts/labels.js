// @ts-check
// Labels of single points in a figure whose numbers a text beside it mentions.
import { shortText } from "../view/numbers.js";

/** @import { Figure } from "./charts.js" */

const MAX_RELATIVE_DIFFERENCE = 0.002; // relative difference up to which a point has the value of a text
const LIFT_PIXELS = 22; // pixels between a point and its label

/** @type {(reference: string | undefined, letter: "x" | "y") => string} `yaxis2` for the `y2` of a trace */
const axisKey = (reference, letter) => `${letter}axis${(reference ?? letter).slice(1)}`;

/** @type {(one: number, other: number) => number} */
const gap = (one, other) => Math.abs(one - other) / Math.max(Math.abs(other), 1e-9);

/**
 * Annotations for the points whose value is closest to one of these; a share may be drawn in percent.
 * @param {Figure} figure
 * @param {number[]} values
 */
export function labelsFor({ data, layout }, values) {
  /** @type {any[]} */
  const labels = [];
  for (const value of values) {
    /** @type {{ difference: number, trace: any, index: number, drawn: number } | null} */
    let closest = null;
    for (const trace of data) {
      const points = trace.orientation === "h" ? trace.x : trace.y;
      if (trace.z || !Array.isArray(points) || trace.visible === false) continue;
      for (const [index, drawn] of points.entries()) {
        if (typeof drawn !== "number") continue;
        const difference = Math.min(gap(drawn, value), gap(drawn, 100 * value));
        if (difference <= MAX_RELATIVE_DIFFERENCE && difference < (closest?.difference ?? Infinity))
          closest = { difference, trace, index, drawn };
      }
    }
    if (closest) labels.push(annotation(closest.trace, closest.index, closest.drawn, layout));
  }
  return labels;
}

/** @type {(trace: any, index: number, drawn: number, layout: any) => any} */
function annotation(trace, index, drawn, layout) {
  const coordinate = (/** @type {"x" | "y"} */ letter) => {
    const value = trace[letter]?.[index] ?? index;
    const isLog = layout[axisKey(trace[`${letter}axis`], letter)]?.type === "log";
    return isLog && typeof value === "number" ? Math.log10(value) : value;
  };
  return {
    x: coordinate("x"),
    y: coordinate("y"),
    xref: trace.xaxis ?? "x",
    yref: trace.yaxis ?? "y",
    text: `<b>${shortText(drawn)}</b>`,
    showarrow: true,
    arrowhead: 0,
    arrowwidth: 1,
    ax: 0,
    ay: -LIFT_PIXELS,
    bgcolor: layout.paper_bgcolor,
    borderpad: 2,
    captureevents: false,
  };
}
