// @ts-check
// Changes of a figure: labels of the points whose numbers a text beside it mentions, one factor for letters, lines,
// markers, margins and rows, and a caption for a file, which leaves the page.
import { shortText, smallPercentText } from "../view/numbers.js";
import { plotlyText } from "./plotly.js";

/** @import { Figure } from "./charts.js" */

const MAX_RELATIVE_DIFFERENCE = 0.002; // relative difference up to which a point has the value of a text
const LIFT_PIXELS = 22; // pixels between a point and its label

/** @type {(reference: string | undefined, letter: "x" | "y") => string} `yaxis2` for the `y2` of a trace */
const axisKey = (reference, letter) => `${letter}axis${(reference ?? letter).slice(1)}`;

/** @type {(one: number, other: number) => number} */
const gap = (one, other) => Math.abs(one - other) / Math.max(Math.abs(other), 1e-9);

/**
 * Annotations for the points whose value is closest to one of these; a share may be drawn in percent. A value that
 * points of several rows or lines have gets none.
 * @param {Figure} figure
 * @param {number[]} values
 */
export function labelsFor({ data, layout }, values) {
  /** @type {any[]} */
  const labels = [];
  const isAt = (/** @type {any} */ one) => (/** @type {any} */ other) =>
    ["x", "y", "xref", "yref"].every((name) => one[name] === other[name]);
  for (const value of new Set(values)) {
    let least = MAX_RELATIVE_DIFFERENCE;
    /** @type {any[]} */
    let closest = [];
    for (const trace of data) {
      const points = trace.orientation === "h" ? trace.x : trace.y;
      if (trace.z || !Array.isArray(points) || trace.visible === false) continue;
      for (const [index, drawn] of points.entries()) {
        const difference = Math.min(gap(drawn, value), gap(drawn, 100 * value));
        if (typeof drawn !== "number" || difference > least) continue;
        closest = [...(difference < least ? [] : closest), annotation(trace, index, drawn, layout)];
        least = difference;
      }
    }
    const [label, , third] = closest; // a line and a marker may have one point
    if (!label || third || !closest.every(isAt(label)) || labels.some(isAt(label))) continue;
    // The bars of one row have one place: the second label stands below it.
    if (typeof label.y === "string" && labels.some(({ y }) => y === label.y)) label.ay = LIFT_PIXELS;
    labels.push(label);
  }
  return labels;
}

/** @type {(trace: any, index: number, drawn: number, layout: any) => any} */
function annotation(trace, index, drawn, layout) {
  const axis = (/** @type {"x" | "y"} */ letter) => layout[axisKey(trace[`${letter}axis`], letter)];
  const coordinate = (/** @type {"x" | "y"} */ letter) => {
    const value = trace[letter]?.[index] ?? index;
    return axis(letter)?.type === "log" && typeof value === "number" ? Math.log10(value) : value;
  };
  const isShare = axis(trace.orientation === "h" ? "x" : "y")?.tickformat?.endsWith("%");
  return {
    x: coordinate("x"),
    y: coordinate("y"),
    xref: trace.xaxis ?? "x",
    yref: trace.yaxis ?? "y",
    text: `<b>${isShare ? smallPercentText(drawn) : shortText(drawn)}</b>`,
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

const MIN_LETTER_PIXELS = 24; // pixels of the smallest letters on a large screen
const LARGE_SCREEN_PIXELS = 1440; // pixels of a large screen's width; letters are smaller on smaller screens
const HINT_LETTER_PIXELS = 13; // pixels of the letters at the pointer, unless a figure sets them

// Properties in pixels; `width` and `height` are those of lines, borders and whole figures.
const PIXELS = new Set(
  "size minsize width height l r t b standoff thickness ticklen min_width max_width xshift yshift xgap ygap".split(" "),
);
const CORNERS = new Set(["x0", "x1", "y0", "y1"]); // corners of a shape that keeps its size under zoom
const VALUES = new Set(["x", "y", "z", "base", "text", "customdata", "hovertext", "tickvals", "ticktext", "range"]);

/**
 * @template {any} Part
 * @param {Part} part a figure, or a part of it
 * @param {number} factor
 * @returns {Part}
 */
export const scaleFigure = (part, factor) => (factor === 1 ? part : scaledValue(part, factor));

/** @type {(value: any, factor: number) => any} */
function scaledValue(value, factor) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => scaledValue(item, factor));
  const inPixels = value.xsizemode === "pixel" ? CORNERS : null;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (name === "dash") return [name, item.replace(/[\d.]+(?=px)/g, (length) => String(length * factor))];
      if (typeof item === "number") return [name, PIXELS.has(name) || inPixels?.has(name) ? item * factor : item];
      if (name === "size" && Array.isArray(item)) return [name, item.map((size) => size * factor)];
      return [name, VALUES.has(name) ? item : scaledValue(item, factor)];
    }),
  );
}

/**
 * The factor for a figure that fills the screen: as large as fits in its usual proportions, and with letters that can
 * be read from the last row.
 * @param {Figure} figure
 * @param {{ width: number, height: number }} usual pixels of its usual size
 * @param {{ width: number, height: number }} room pixels
 */
export function factorFor(figure, usual, room) {
  const least = (MIN_LETTER_PIXELS / smallestLetters(figure)) * shareOfLarge();
  return Math.max(1, least, Math.min(room.width / usual.width, room.height / usual.height));
}

/** The screen's width as a share of a large one's, at most 1. */
export const shareOfLarge = () => Math.min(1, window.innerWidth / LARGE_SCREEN_PIXELS);

/** @param {any} part @returns {number} pixels */
function smallestLetters(part) {
  if (part === null || typeof part !== "object") return Number.POSITIVE_INFINITY;
  const sizes = Object.entries(part)
    .filter(([name]) => !VALUES.has(name))
    .map(([name, item]) => (name.endsWith("font") && item.size ? item.size : smallestLetters(item)));
  return Math.min(...sizes);
}

/** The font of hints, which Plotly does not scale. @param {number} factor */
export const hintLetters = (factor) => ({ font: { size: HINT_LETTER_PIXELS * factor } });

/** @typedef {{ title: string, lines: string[] }} Caption of a picture; a line may be long, and an empty one is left out */

const LETTERS = { size: 12, width: 6.6, height: 16 }; // pixels
const SIDE = 12; // pixels
const SCALE_WIDTH = 56; // pixels of a scale of colours with its numbers
const WIDE = /[\u2E80-\uFFEF]/u; // letters of twice the width

/**
 * The lines of a caption, broken for a width in pixels.
 * @param {Caption} caption
 * @param {number} width
 */
export function captionLines({ title, lines }, width) {
  return [title, ...lines].flatMap((line) => {
    const room = Math.max(8, Math.floor((width - 2 * SIDE) / LETTERS.width / (WIDE.test(line) ? 2 : 1)));
    const piece = `\\S.{0,${room - 1}}`;
    return line.replace(/\s+/g, " ").match(new RegExp(`${piece}(?= |$)|${piece}`, "gu")) ?? [];
  });
}

/**
 * A figure with a caption above it, and with the scale of its colours.
 * @param {Figure} figure
 * @param {number} width pixels
 * @param {Caption} caption
 */
export function withCaption({ data, layout }, width, caption) {
  const [title, ...given] = captionLines(caption, width).map((line) => plotlyText(line, Infinity));
  const lines = [...given, layout.title?.text ?? ""].filter(Boolean); // a chart's own title names its unit
  const text = [`<b>${title}</b>`, ...lines].join("<br>");
  const room = SIDE + LETTERS.height * (lines.length + 1);
  const coloured = data.filter(({ type }) => type === "heatmap");
  const isScaleAbsent = coloured.length === 1 && coloured[0].showscale === false; // several have several scales
  const scale = { showscale: true, colorbar: { thickness: 10, outlinewidth: 0, x: 1, xpad: SIDE } };
  const right = isScaleAbsent ? SCALE_WIDTH : 0;
  const { t: top = 0, r = 0, ...margin } = layout.margin ?? {};
  const size = { width: width + right, height: layout.height + room };
  return {
    data: isScaleAbsent ? data.map((trace) => (trace === coloured[0] ? { ...trace, ...scale } : trace)) : data,
    layout: {
      ...layout,
      ...size,
      margin: { ...margin, t: top + room, r: r + right },
      title: {
        text,
        font: { size: LETTERS.size },
        ...{ x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top" },
        pad: { l: SIDE, t: SIDE },
      },
    },
    ...size,
  };
}
