// @ts-check
// Small pictures, one for each word, as papers print them: light whatever the page.

import { blended, svgNode } from "../charts/svg.js";
import { t } from "../translate.js";
import { CLEARED, lookShare, VEIL } from "./picture_look.js";

const LOOK_FRAME = { side: 150, gap: 14, foot: 30 }; // pixels

// The picture itself comes first, then `rows` of weights over its cells, each with the label at its place.
export function lookFigure(source, cells, labels, rows, palette, columns) {
  const { side, gap, foot } = LOOK_FRAME;
  const most = Math.max(...rows.flat());
  const group = svgNode("g", { "font-family": "Helvetica, Arial, sans-serif", "font-size": 14 });
  const squares = (row) =>
    row.map((weight, at) => {
      const [share, length] = [lookShare(weight, most), side / cells];
      return svgNode("rect", {
        x: (at % cells) * length,
        y: Math.floor(at / cells) * length,
        width: length,
        height: length,
        fill: blended(palette.surface, palette.attention, share),
        "fill-opacity": VEIL - CLEARED * share,
        stroke: palette.attention,
        "stroke-opacity": 0.9 * share,
      });
    });
  [t("picture"), ...labels].forEach((label, at) => {
    const frame = svgNode("g", {
      transform: `translate(${(at % columns) * (side + gap)} ${Math.floor(at / columns) * (side + foot)})`,
    });
    frame.append(
      svgNode("image", { href: source, width: side, height: side, style: "image-rendering: pixelated" }),
      ...(at ? squares(rows[at - 1]) : []),
      svgNode("rect", { width: side, height: side, fill: "none", stroke: palette.grid }),
      svgNode(
        "text",
        { x: side / 2, y: side + 18, "text-anchor": "middle", fill: at ? palette.output : palette.muted },
        label,
      ),
    );
    group.append(frame);
  });
  const used = Math.min(columns, labels.length + 1);
  return { group, width: used * (side + gap) - gap, height: Math.ceil((labels.length + 1) / columns) * (side + foot) };
}
