// @ts-check
// Cross-attention as an SVG: source across, output down. It follows the page's theme; in a file it is light.

import { blend, svgNode } from "../../widgets/charts/svg.js";
import { setText, targetOf } from "../../widgets/view/dom.js";
import { clamp, numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

const MIN_CELL_PIXELS = 20;
const MAX_CELL_PIXELS = 34;
const FONT_PIXELS = 12;

const rulers = new Map();
export function textWidth(text, font) {
  if (!rulers.has(font)) {
    rulers.set(font, document.createElement("canvas").getContext("2d"));
    rulers.get(font).font = font;
  }
  return rulers.get(font).measureText(text).width;
}

// Steep at first, as in every heatmap of the page: among twenty tokens a weight of 0.1 is a lot.
const depth = (weight) => weight ** 0.625;

// Space for the labels of several grids, so that their cells align and fill `width`.
function gridFrame(maps, family, width) {
  const font = `${FONT_PIXELS}px ${family}`;
  const widest = (name) => Math.max(0, ...maps.flatMap((map) => map[name].map((label) => textWidth(label, font))));
  const lean = 0.8 * widest("source");
  const [left, right] = [12 + widest("output"), 12 + 0.7 * lean];
  const room = (width - left - right) / Math.max(1, ...maps.map((map) => map.source.length));
  return { family, left, top: 16 + lean, right, cell: Math.floor(clamp(room, MIN_CELL_PIXELS, MAX_CELL_PIXELS)) };
}

// One frame for both sides if one tokenizer read both; else one for each.
export function gridFrames(sides, family, width) {
  const map = (side) => (side.attention ? [side.attention] : []);
  const together = sides[0].request.checkpoint === sides[1].request.checkpoint;
  return sides.map((side) => gridFrame(together ? sides.flatMap(map) : map(side), family, width));
}

export function gridSize(map, frame) {
  return {
    width: frame.left + frame.cell * map.source.length + frame.right,
    height: frame.top + frame.cell * map.output.length + 6,
  };
}

// `palette` is given for a file; otherwise the colours come from the page.
export function attentionGrid(map, frame, palette) {
  const { cell: size } = frame;
  const group = svgNode("g", { "font-family": frame.family, "font-size": FONT_PIXELS });
  const fill = (weight) =>
    palette
      ? blend(palette.attention_none, palette.attention, depth(weight))
      : `color-mix(in srgb, var(--tv-attention) ${(100 * depth(weight)).toFixed(1)}%, var(--tv-attention-none))`;
  const ink = (name) => palette?.[name] ?? `var(--tv-${name})`;
  map.source.forEach((label, column) => {
    const [x, y] = [frame.left + size * (column + 0.6), frame.top - 7];
    group.append(svgNode("text", { x, y, transform: `rotate(-50 ${x} ${y})`, style: `fill:${ink("source")}` }, label));
  });
  map.output.forEach((label, row) => {
    const y = frame.top + size * row;
    group.append(
      svgNode(
        "text",
        { x: frame.left - 7, y: y + size / 2 + 4, "text-anchor": "end", style: `fill:${ink("output")}` },
        label,
      ),
    );
    map.weights[row].forEach((weight, column) => {
      const square = svgNode("rect", {
        x: frame.left + size * column + 0.5,
        y: y + 0.5,
        width: size - 1,
        height: size - 1,
        rx: 2,
        style: `fill:${fill(weight)}`,
      });
      if (!palette) Object.assign(square.dataset, { row, at: column });
      group.append(square);
    });
  });
  return group;
}

export function gridPicture(side, frame, readout) {
  const map = side.attention;
  const { width, height } = gridSize(map, frame);
  const picture = svgNode("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `${t("Attention of {name}", { name: side.title })}: ${side.attentionCaption}`,
  });
  picture.append(attentionGrid(map, frame));
  picture.addEventListener("mouseover", (event) => {
    const { row, at } = targetOf(event, SVGElement)?.dataset ?? {};
    const text =
      row === undefined || at === undefined
        ? ""
        : t("“{output}” looks at “{source}”: {weight}", {
            output: map.output[row],
            source: map.source[at],
            weight: numberText(map.weights[row][at], 3),
          });
    setText(readout, text);
  });
  picture.addEventListener("mouseleave", () => {
    readout.textContent = "";
  });
  return picture;
}
