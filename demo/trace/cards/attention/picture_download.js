// @ts-check
// The attention over a picture as an image file.

import { captionLines } from "../../../widgets/charts/figures.js";
import { pngBlob, SVG, svgBlob, svgNode } from "../../../widgets/charts/svg.js";
import { offer } from "../../../widgets/exports/files.js";
import { lookFigure } from "../../../widgets/pictures/pictures.js";
import { strongest, wordRow } from "../../reading/attention_rows.js";
import { pathGroups, pathWord } from "../../reading/words.js";

/** @import { Caption } from "../../../widgets/charts/figures.js" */
/** @import { Drawing } from "../../../widgets/charts/svg.js" */
/** @import { State } from "../../reading/selection.js" */
/** @import { Picture } from "../../reading/trace.js" */

const FIGURE_COLUMNS = 6;
const [FIGURE_MARGIN, LINE_HEIGHT] = [16, 16]; // pixels

/** @type {(state: State, picture: Picture, caption: Caption) => Drawing} */
function pictureFigure(state, picture, caption) {
  const { palette } = state.model.payload;
  const groups = pathGroups(state);
  const rows = groups.map((group) => strongest(wordRow(state, group), state.mass));
  const labels = groups.map((group) => pathWord(state, group));
  const { group, ...size } = lookFigure(picture.source, picture.cells, labels, rows, palette, FIGURE_COLUMNS);
  const width = size.width + 2 * FIGURE_MARGIN;
  const lines = captionLines(caption, width);
  const room = FIGURE_MARGIN + LINE_HEIGHT * lines.length;
  const height = size.height + FIGURE_MARGIN + room;
  const viewBox = `${-FIGURE_MARGIN} ${-room} ${width} ${height}`;
  const figure = svgNode("svg", { xmlns: SVG, width, height, viewBox });
  const letters = { "font-family": "Helvetica, Arial, sans-serif", "font-size": 12, fill: palette.text };
  figure.append(
    svgNode("rect", { x: -FIGURE_MARGIN, y: -room, width, height, fill: palette.surface }),
    ...lines.map((line, index) => svgNode("text", { ...letters, y: LINE_HEIGHT * (index + 1) - room }, line)),
    group,
  );
  return { node: figure, width, height };
}

/** @type {(drawing: Drawing, format: string, filename: string) => Promise<void>} */
async function savePicture(drawing, format, filename) {
  const blob = format === "svg" ? svgBlob(drawing) : await pngBlob(drawing);
  offer(blob, blob.type, `${filename}.${format}`);
}

/**
 * The download of the attention: the pictures if the source is one, else the heatmap.
 * @param {import("../../trace_card.js").Chart} chart
 * @param {State} state
 */
export const pictureOr = (chart, state) => ({
  /** @type {(format: string, filename: string, caption: Caption) => Promise<void>} */
  download(format, filename, caption) {
    const { picture } = state.model;
    if (!picture) return chart.download(format, filename, caption);
    return savePicture(pictureFigure(state, picture, caption), format, filename);
  },
  /** @type {(caption: Caption) => Promise<Blob>} */
  picture(caption) {
    const { picture } = state.model;
    return picture ? pngBlob(pictureFigure(state, picture, caption)) : chart.picture(caption);
  },
});
