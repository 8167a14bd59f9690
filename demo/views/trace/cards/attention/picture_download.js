// @ts-check
// The attention over a picture as an image file.

import { pngBlob, SVG, svgBlob, svgNode } from "../../../shared/charts/svg.js";
import { offer } from "../../../shared/exports/files.js";
import { lookFigure } from "../../../shared/pictures/picture_figure.js";
import { strongest, wordRow } from "../../reading/attention_rows.js";
import { pathGroups, wordText } from "../../reading/words.js";

/** @import { Drawing } from "../../../shared/charts/svg.js" */
/** @import { State } from "../../reading/selection.js" */
/** @import { Picture } from "../../reading/trace.js" */

const FIGURE_COLUMNS = 6;
const FIGURE_MARGIN = 16; // pixels

/** @type {(state: State, picture: Picture) => Drawing} */
function pictureFigure(state, picture) {
  const { palette } = state.model.payload;
  const groups = pathGroups(state);
  const rows = groups.map((group) => strongest(wordRow(state, group), state.mass));
  const labels = groups.map((group) => wordText(group.map((step) => state.model.label(state.path[step].token))));
  const { group, ...size } = lookFigure(picture.source, picture.cells, labels, rows, palette, FIGURE_COLUMNS);
  const [width, height] = [size.width + 2 * FIGURE_MARGIN, size.height + 2 * FIGURE_MARGIN];
  const figure = svgNode("svg", {
    xmlns: SVG,
    width,
    height,
    viewBox: `${-FIGURE_MARGIN} ${-FIGURE_MARGIN} ${width} ${height}`,
  });
  figure.append(svgNode("rect", { x: -FIGURE_MARGIN, y: -FIGURE_MARGIN, width, height, fill: palette.surface }), group);
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
  /** @type {(format: string, filename: string) => Promise<unknown>} */
  download(format, filename) {
    const { picture } = state.model;
    return picture ? savePicture(pictureFigure(state, picture), format, filename) : chart.download(format, filename);
  },
  picture() {
    const { picture } = state.model;
    return picture ? pngBlob(pictureFigure(state, picture)) : chart.picture();
  },
});
