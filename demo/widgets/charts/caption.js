// @ts-check
// The figure of a picture file: above the chart stand its title, its source and its legend, since a file leaves the page.
import { plotlyText } from "./plotly.js";

/** @import { Figure } from "./charts.js" */
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
