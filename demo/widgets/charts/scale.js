// @ts-check
// Scales a figure by one factor: letters, lines, markers, margins and rows.

/** @import { Figure } from "./charts.js" */

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
export function scaleFigure(part, factor) {
  return factor === 1 ? part : scaledValue(part, factor);
}

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
