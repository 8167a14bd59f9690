// @ts-check
// The comparison as a picture file, in light colours: an SVG, which a canvas turns into a PNG.

import { SVG, svgNode } from "../../widgets/charts/svg.js";
import { lookFigure, pictureSource } from "../../widgets/pictures/pictures.js";
import { t } from "../../widgets/view/translate.js";
import { visibleColumns } from "./columns.js";
import { attentionGrid, gridFrames, gridSize, textWidth } from "./grid.js";
import { isApart } from "./texts.js";

const SHEET_PICTURE = 120; // pixels

function createSheet(width, palette, family) {
  const node = svgNode("svg", { xmlns: SVG, width, "font-family": family });
  const sheet = { node, y: 28, width, muted: palette.muted };
  const MARGIN = 28;

  function wordsOf(content) {
    return (typeof content === "string" ? [["same", content]] : content).flatMap(([kind, text], index, parts) =>
      text
        .split(/\s+/)
        .filter(Boolean)
        .flatMap((long, position) =>
          long.match(/.{1,40}/gu).map((word, chunk) => ({
            kind,
            word,
            apart: !chunk && Boolean(position || isApart(parts, index)),
            breakable: chunk > 0,
          })),
        ),
    );
  }

  function wrapWords(words, font, room) {
    /** @type {any[][]} */
    const lines = [[]];
    let used = 0;
    words.forEach((piece) => {
      const long = textWidth(`${piece.word} `, font);
      if ((piece.apart || piece.breakable) && used && used + long > room) {
        lines.push([]);
        used = 0;
      }
      lines[lines.length - 1].push(piece);
      used += long;
    });
    return lines;
  }

  const STYLES = {
    same: {},
    removed: { "text-decoration": "line-through", fill: palette.muted },
    added: { "text-decoration": "underline", "font-weight": 600, fill: palette.output },
  };

  // Additions are underlined, omissions struck through. Returns the y below the last line.
  sheet.text = (
    content,
    {
      x = MARGIN,
      y = sheet.y,
      size = 14,
      weight = 400,
      colour = palette.text,
      room = width - 2 * MARGIN,
      end = false,
    } = {},
  ) => {
    const lines = wrapWords(wordsOf(content), `${weight} ${size}px ${family}`, end ? Infinity : room);
    lines.forEach((line, row) => {
      const text = svgNode("text", {
        x,
        y: y + row * size * 1.4,
        "font-size": size,
        "font-weight": weight,
        fill: colour,
        "text-anchor": end ? "end" : "start",
        "xml:space": "preserve",
      });
      line.forEach(({ kind, word, apart }, index) => {
        if (index && apart) text.append(svgNode("tspan", {}, " "));
        text.append(svgNode("tspan", STYLES[kind], word));
      });
      node.append(text);
    });
    return y + lines.length * size * 1.4;
  };
  sheet.picture = (source, { x = MARGIN, y = sheet.y } = {}) => {
    node.append(
      svgNode("image", {
        href: source,
        x,
        y,
        width: SHEET_PICTURE,
        height: SHEET_PICTURE,
        style: "image-rendering: pixelated",
      }),
      svgNode("rect", { x, y, width: SHEET_PICTURE, height: SHEET_PICTURE, fill: "none", stroke: palette.grid }),
    );
    return y + SHEET_PICTURE + 14;
  };
  sheet.line = (y) =>
    node.append(svgNode("line", { x1: MARGIN, x2: width - MARGIN, y1: y, y2: y, stroke: palette.grid }));
  sheet.finish = () => {
    const height = Math.ceil(sheet.y + 16);
    node.setAttribute("height", String(height));
    node.setAttribute("viewBox", `0 0 ${width} ${height}`);
    node.prepend(svgNode("rect", { width, height, fill: palette.surface }));
    return { node, width, height };
  };
  return sheet;
}

/** The head of the picture: the source, the checkpoints, the date and the summary. */
function headPicture(sheet, value, title, checkpoints) {
  const picture = pictureSource(title);
  sheet.y = picture ? sheet.picture(picture) + 14 : sheet.text(title, { size: 20, weight: 600 }) + 4;
  const about = [...new Set(checkpoints), value.date].join(" · ");
  sheet.y = sheet.text(about, { size: 12, colour: sheet.muted }) + 4;
  value.summary.forEach((sentence) => {
    sheet.y = sheet.text(sentence, { size: 14 });
  });
  sheet.y += 12;
}

export function rowsPicture(value, rows, base, palette, family) {
  const sheet = createSheet(1280, palette, family);
  headPicture(sheet, value, value.request.text, [value.checkpoint]);
  if (value.request.reference)
    sheet.y = sheet.text(t("Reference: {text}", { text: value.request.reference }), { colour: palette.muted }) + 8;
  const numbers = visibleColumns(value).slice(2);
  const left = sheet.width - 28 - numbers.length * 74;
  numbers.forEach((column, index) => {
    const x = left + 74 * (index + 1);
    sheet.text(column.label, { x, size: 13, colour: palette.muted, end: true });
    if (column.unit) sheet.text(column.unit, { x, y: sheet.y + 14, size: 10.5, colour: palette.muted, end: true });
  });
  sheet.text(base ? t("Output, compared with {name}", { name: base.name }) : t("Output"), {
    x: 228,
    size: 13,
    colour: palette.muted,
    room: left - 228,
  });
  sheet.text(t("Strategy"), { size: 13, colour: palette.muted });
  sheet.y += 26;
  rows.forEach((row) => {
    sheet.line(sheet.y - 4);
    const top = sheet.y + 16;
    const parts =
      row.state === "done"
        ? (base && base.text !== row.text && value.diffs[`${base.text},${row.text}`]) || row.output || t("(empty)")
        : row.problem || row.state;
    let low = sheet.text(parts, { x: 228, y: top, room: left - 228 });
    if (row.mark)
      low = sheet.text(row.mark.text, {
        x: 228,
        y: low - 1,
        size: 12,
        colour: row.mark.standing === "search_error" ? palette.attention : palette.muted,
        room: left - 228,
      });
    const under = sheet.text(row.name, { y: top, weight: 600, room: 190 });
    const deep = sheet.text(row.details, { y: under - 2, size: 11.5, colour: palette.muted, room: 190 });
    if (row.state === "done")
      for (const [index, column] of numbers.entries())
        sheet.text(column.show(row), { x: left + 74 * (index + 1), y: top, end: true });
    sheet.y = Math.max(low, deep) + 2;
  });
  sheet.line(sheet.y - 4);
  sheet.y = sheet.text(value.caption, { y: sheet.y + 18, size: 13, colour: palette.muted });
  value.signatures.forEach((signature) => {
    sheet.y = sheet.text(signature, { size: 11, colour: palette.muted });
  });
  return sheet.finish();
}

export function pairPicture(value, pinned, palette, family) {
  const frames = gridFrames(value.sides, family, 540);
  const half = Math.max(
    560,
    ...value.sides.map((side, index) =>
      side.attention && !pictureSource(side.source) ? gridSize(side.attention, frames[index]).width + 20 : 0,
    ),
  );
  const sheet = createSheet(2 * half + 56, palette, family);
  headPicture(
    sheet,
    value,
    value.strategy,
    value.sides.map((side) => side.checkpoint),
  );
  if (value.note) sheet.y = sheet.text(value.note, { size: 13, colour: palette.muted }) + 8;
  const lows = value.sides.map((side, index) => {
    const x = 28 + index * half;
    const room = half - 24;
    let y = sheet.text(side.title, { x, weight: 600, room });
    const picture = pictureSource(side.source);
    y = picture
      ? sheet.picture(picture, { x, y }) + 14
      : sheet.text((index !== pinned && side.sourceParts) || side.source, {
          x,
          y: y + 2,
          colour: palette.source,
          room,
        });
    y = sheet.text(
      side.state === "done"
        ? (index !== pinned && side.parts) || side.text || t("(empty)")
        : side.problem || side.state,
      { x, y: y + 6, size: 17, room },
    );
    y = sheet.text((side.facts || []).map(([label, text]) => `${label} ${text}`).join(" · "), {
      x,
      y: y + 2,
      size: 12,
      colour: palette.muted,
      room,
    });
    if (!side.attention)
      return sheet.text(side.attentionCaption || "", { x, y: y + 8, size: 12, colour: palette.muted, room });
    if (picture) {
      const { output, weights } = side.attention;
      const attention = lookFigure(picture, Math.sqrt(weights[0].length), output, weights, palette, 3);
      attention.group.setAttribute("transform", `translate(${x} ${y})`);
      sheet.node.append(attention.group);
      return y + attention.height + 10;
    }
    const grid = attentionGrid(side.attention, frames[index], palette);
    grid.setAttribute("transform", `translate(${x} ${y})`);
    sheet.node.append(grid);
    return y + gridSize(side.attention, frames[index]).height + 10;
  });
  sheet.y = sheet.text(value.caption, { y: Math.max(...lows) + 16, size: 13, colour: palette.muted });
  return sheet.finish();
}
