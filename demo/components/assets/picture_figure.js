// Small pictures, one for each word, as papers print them: light whatever the page.
const LOOK_FRAME = { side: 150, gap: 14, foot: 30 }; // pixels

function blended(low, high, share) {
  const part = (colour, at) => parseInt(colour.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round(part(low, at) + (part(high, at) - part(low, at)) * share).toString(16).padStart(2, "0")).join("")}`;
}

// The picture itself comes first, then `rows` of weights over its cells, each with the label at its place.
function lookFigure(source, cells, labels, rows, palette, columns) {
  const { side, gap, foot } = LOOK_FRAME;
  const most = Math.max(...rows.flat());
  const group = lookNode("g", { "font-family": "Helvetica, Arial, sans-serif", "font-size": 14 });
  const squares = (row) => row.map((weight, at) => {
    const [share, length] = [lookShare(weight, most), side / cells];
    return lookNode("rect", { x: (at % cells) * length, y: Math.floor(at / cells) * length, width: length, height: length,
      fill: blended(palette.surface, palette.attention, share), "fill-opacity": VEIL - CLEARED * share, stroke: palette.attention, "stroke-opacity": 0.9 * share });
  });
  [t("picture"), ...labels].forEach((label, at) => {
    const frame = lookNode("g", { transform: `translate(${(at % columns) * (side + gap)} ${Math.floor(at / columns) * (side + foot)})` });
    frame.append(lookNode("image", { href: source, width: side, height: side, style: "image-rendering: pixelated" }), ...(at ? squares(rows[at - 1]) : []),
      lookNode("rect", { width: side, height: side, fill: "none", stroke: palette.grid }),
      lookNode("text", { x: side / 2, y: side + 18, "text-anchor": "middle", fill: at ? palette.output : palette.muted }, label));
    group.append(frame);
  });
  const used = Math.min(columns, labels.length + 1);
  return { group, width: used * (side + gap) - gap, height: Math.ceil((labels.length + 1) / columns) * (side + foot) };
}
