// @ts-check
// Small pictures, one for each word, for print: in light colours whatever the page's theme.

import { blend, svgNode } from "../charts/svg.js";
import { t } from "../view/translate.js";
import { CLEARED, lookShare, VEIL } from "./picture_overlay.js";

const LOOK_FRAME = { side: 150, gap: 14, foot: 30 }; // pixels

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
