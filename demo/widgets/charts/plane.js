// @ts-check
// Maps the values of a figure to pixels in its box, as Plotly lays it out or will lay it out.
import { roundPixels } from "./svg.js";

/** @typedef {(value: number) => number} Scale pixels from the corner of the plot to a value */
/** @typedef {{ start: number, length: number, range: number[] }} Axis pixels from the corner of the box */
/**
 * @typedef {object} Plane
 * @property {number} left pixels from the corner of the box to that of the plot
 * @property {number} top
 * @property {number} width
 * @property {number} height
 * @property {Scale} x
 * @property {Scale} y
 */

const NEAR_PIXELS = 20; // pixels, as for Plotly's hints

/** @type {(x: Axis, y: Axis) => Plane} */
function planeOf(x, y) {
  const share = ({ range }, value) => (value - range[0]) / (range[1] - range[0]);
  return {
    left: x.start,
    top: y.start,
    width: x.length,
    height: y.length,
    x: (value) => roundPixels(x.length * share(x, value)),
    y: (value) => roundPixels(y.length * (1 - share(y, value))),
  };
}

/**
 * The plane as Plotly has laid it out, including the reader's zoom.
 * @param {any} box that Plotly has drawn in
 */
export function plottedPlane({ _fullLayout: { xaxis, yaxis } }) {
  const axis = ({ _offset: start, _length: length, range }) => ({ start, length, range });
  return planeOf(axis(xaxis), axis(yaxis));
}

/**
 * The plane as Plotly will lay it out: our painted figures fix all margins and ranges.
 * @param {any} layout with a width
 */
export function plannedPlane({ width, height, margin, xaxis, yaxis }) {
  return planeOf(
    { start: margin.l, length: width - margin.l - margin.r, range: xaxis.range },
    { start: margin.t, length: height - margin.t - margin.b, range: yaxis.range },
  );
}

/**
 * The cell of a heatmap at a position, or the nearest point with data, in the form of Plotly's click events.
 * @param {any[]} data of a figure
 * @param {Plane} plane
 * @param {{ x: number, y: number }} position pixels from the corner of the box
 * @returns {{ x: number, y: number, customdata?: any } | null}
 */
export function pointAt(data, plane, position) {
  const [left, top] = [position.x - plane.left, position.y - plane.top];
  if (left < 0 || top < 0 || left > plane.width || top > plane.height) return null;
  let point = null;
  let nearest = NEAR_PIXELS;
  for (const trace of data) {
    if (trace.type === "heatmap") return cellAt(trace, plane, left, top);
    if (trace.visible === false || !trace.customdata) continue;
    for (const [index, customdata] of trace.customdata.entries()) {
      const [x, y] = [trace.x[index], trace.y[index]];
      const distance = Math.hypot(plane.x(x) - left, plane.y(y) - top);
      if (distance > nearest) continue;
      nearest = distance;
      point = { x, y, customdata };
    }
  }
  return point;
}

function cellAt({ z }, plane, left, top) {
  const index = (scale, pixels) => Math.floor((pixels - scale(-0.5)) / (scale(0.5) - scale(-0.5)));
  const [x, y] = [index(plane.x, left), index(plane.y, top)];
  return y >= 0 && y < z.length && x >= 0 && x < z[y].length ? { x, y } : null;
}
