// @ts-check
// A source that is a picture: a PNG in a data URL, which an image may show as it is. Cells with attention turn orange,
// the rest is veiled.
import { blend, svgNode } from "../charts/svg.js";
import { make } from "../view/dom.js";
import { t } from "../view/translate.js";

const PICTURE = /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/;
const MAX_CHARACTERS = 65536;

export const pictureSource = (text) =>
  typeof text === "string" && text.length <= MAX_CHARACTERS && PICTURE.test(text) ? text : null;

// The picture as an image, with sharp pixels, since the network reads pixels.
export function pictureImage(source, className, alt) {
  const image = document.createElement("img");
  image.className = className;
  image.alt = alt;
  image.src = source;
  return image;
}

const VEIL = 0.8; // opacity over a cell without attention
const CLEARED = 0.34; // how much lower it is over the cell with the most attention

// A weight as a share of the strongest, steep at first as in every heatmap of the page.
export const lookShare = (weight, most) => (most > 0 ? Math.min(1, weight / most) ** 0.625 : 0);

export const cellName = (index, cells) =>
  t("row {row}, column {column}", { row: Math.floor(index / cells) + 1, column: (index % cells) + 1 });

export function createOverlay(source, cells) {
  const veil = svgNode("svg", { viewBox: `0 0 ${cells} ${cells}`, "aria-hidden": "true", preserveAspectRatio: "none" });
  const squares = Array.from({ length: cells * cells }, (_, index) =>
    svgNode("rect", { x: index % cells, y: Math.floor(index / cells), width: 1, height: 1 }),
  );
  veil.append(...squares);
  return {
    node: make("span", "tv-overlay", pictureImage(source, "", ""), veil),
    veil,
    show(weights, most) {
      for (const [index, square] of squares.entries())
        square.style.setProperty("--share", lookShare(weights[index], most).toFixed(3));
    },
  };
}

// The cells with attention for a sentence: one by its name, several by their number.
export function cellsText(weights, cells) {
  const cellIndices = [...weights.keys()].filter((index) => weights[index] > 0);
  return cellIndices.length === 1 ? cellName(cellIndices[0], cells) : t("{count} cells", { count: cellIndices.length });
}

const LOOK_FRAME = { side: 150, gap: 14, foot: 30 }; // pixels

// Small pictures, one for each word, for print: in light colours whatever the page's theme.
// The picture itself comes first, then its copies under each row of weights, with the labels below.
export function lookFigure(source, cells, labels, rows, palette, columns) {
  const { side, gap, foot } = LOOK_FRAME;
  const most = Math.max(...rows.flat());
  const group = svgNode("g", { "font-family": "Helvetica, Arial, sans-serif", "font-size": 14 });
  const squares = (row) =>
    row.map((weight, index) => {
      const [share, length] = [lookShare(weight, most), side / cells];
      return svgNode("rect", {
        x: (index % cells) * length,
        y: Math.floor(index / cells) * length,
        width: length,
        height: length,
        fill: blend(palette.surface, palette.attention, share),
        "fill-opacity": VEIL - CLEARED * share,
        stroke: palette.attention,
        "stroke-opacity": 0.9 * share,
      });
    });
  [t("picture"), ...labels].forEach((label, index) => {
    const frame = svgNode("g", {
      transform: `translate(${(index % columns) * (side + gap)} ${Math.floor(index / columns) * (side + foot)})`,
    });
    frame.append(
      svgNode("image", { href: source, width: side, height: side, style: "image-rendering: pixelated" }),
      ...(index ? squares(rows[index - 1]) : []),
      svgNode("rect", { width: side, height: side, fill: "none", stroke: palette.grid }),
      svgNode(
        "text",
        { x: side / 2, y: side + 18, "text-anchor": "middle", fill: index ? palette.output : palette.muted },
        label,
      ),
    );
    group.append(frame);
  });
  const used = Math.min(columns, labels.length + 1);
  return { group, width: used * (side + gap) - gap, height: Math.ceil((labels.length + 1) / columns) * (side + foot) };
}
