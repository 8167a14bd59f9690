// @ts-check
// The attention over the picture for each word: large for the current step, small for all steps; and as an image file.

import { captionLines } from "../../../widgets/charts/figures.js";
import { pngBlob, SVG, svgBlob, svgNode } from "../../../widgets/charts/svg.js";
import { offer } from "../../../widgets/exports/files.js";
import { cellName, createOverlay, lookFigure, pictureImage } from "../../../widgets/pictures/pictures.js";
import { find, findAll, make, makeButton, makeToken } from "../../../widgets/view/dom.js";
import { clamp, numberText, sortedIndices } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { currentRow, groupAt, pathGroups, pathWord, strongest, wordRow } from "../../reading/words.js";

/** @import { Caption, Change, Chart, Model, Picture, State, View } from "../../trace_card.js" */
/** @import { Drawing } from "../../../widgets/charts/svg.js" */

const FIGURE_COLUMNS = 6;
const [FIGURE_MARGIN, LINE_HEIGHT] = [16, 16]; // pixels

/** @param {View} view @param {HTMLElement} card */
export function createPictureAttention({ selection }, card) {
  const [large, title] = findAll(card, ".tv-picture-large", ".tv-picture-title");
  const [list, readout, glances] = findAll(card, ".tv-picture-cells", ".tv-picture-readout", ".tv-glances");
  const heatmap = find(card, ".tv-picture-heatmap", HTMLInputElement);
  const { state } = selection;
  /** @type {ReturnType<typeof createOverlay>} */
  let overlay; // the picture and its weights at the current step
  /** @type {number[][]} */
  let groups = []; // groups of steps; each has a small picture

  const picture = () => /** @type {Picture} */ (state.model.picture); // called only if there is a picture

  heatmap.addEventListener("change", () => card.classList.toggle("tv-with-heatmap", heatmap.checked));

  /** @param {number[]} group */
  const word = (group) => pathWord(state, group);
  const rows = () => groups.map((group) => strongest(wordRow(state, group), state.mass));
  // One scale for all words, so that scattered attention is faint.
  /** @param {number[][]} all */
  const mostOf = (all) => Math.max(...all.flat());

  /** @param {number[]} group */
  function glance(group) {
    const small = createOverlay(picture().source, picture().cells);
    const name = makeToken("b", "", word(group));
    const button = makeButton("tv-glance", () => selection.goTo(group[0]), small.node, name);
    const hint = t("Where it looked when it wrote {word}", { word: t("“{text}”", { text: word(group) }) });
    button.title = `${t("step {step}", { step: group[0] + 1 })}: ${hint}`;
    return { item: make("li", "", button), show: small.show };
  }

  function original() {
    const frame = make("span", "tv-overlay", pictureImage(picture().source, "", t("The picture that was read")));
    return make("li", "tv-glance tv-original", frame, make("span", "", t("picture")));
  }

  function draw() {
    groups = pathGroups(state);
    const items = groups.map(glance);
    const all = rows();
    for (const [index, item] of items.entries()) item.show(all[index], mostOf(all));
    glances.replaceChildren(original(), ...items.map(({ item }) => item));
    show(all);
  }

  function show(all = rows()) {
    const { cells } = picture();
    const current = groupAt(groups, state.step);
    const weights = all[current];
    const label = word(groups[current]);
    overlay.show(weights, mostOf(all));
    const [before, after] = t("Where it looked when it wrote {word}", { word: "\n" }).split("\n");
    title.replaceChildren(before, makeToken("b", "", t("“{text}”", { text: label })), after);
    const strong = sortedIndices(weights)
      .slice(0, 3)
      .filter((cell) => weights[cell] > 0);
    const items = strong.map((cell) => make("li", "", cellName(cell, cells)));
    for (const [rank, item] of items.entries())
      item.append(make("span", "tv-number", numberText(weights[strong[rank]])));
    list.replaceChildren(...items);
    const values = { word: label, place: strong.length ? cellName(strong[0], cells) : "–" };
    overlay.node.role = "img";
    overlay.node.ariaLabel = t("The picture while “{word}” was written: most attention on {place}", values);
    readout.textContent = "";
    for (const [index, button] of glances.querySelectorAll("button").entries())
      button.ariaCurrent = index === current ? "step" : null;
  }

  large.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!state.model?.picture || !overlay) return;
    const { cells } = picture();
    const box = overlay.node.getBoundingClientRect();
    /** @type {(offset: number, length: number) => number} */
    const cellAlong = (offset, length) => clamp(Math.floor((cells * offset) / length), 0, cells - 1);
    const cell = cellAlong(clientY - box.top, box.height) * cells + cellAlong(clientX - box.left, box.width);
    readout.textContent = `${cellName(cell, cells)}: ${numberText(currentRow(state)[cell], 3)}`;
  });
  large.addEventListener("pointerleave", () => {
    readout.textContent = "";
  });

  const hasPicture = () => state.model?.picture && state.model.attention;

  /** @param {Model} model */
  function load(model) {
    card.classList.toggle("tv-pictured", Boolean(model.picture && model.attention));
    if (!hasPicture()) return;
    overlay = createOverlay(picture().source, picture().cells);
    large.replaceChildren(overlay.node);
    draw();
  }

  /** @param {Change} change */
  function update(change) {
    if (!hasPicture()) return;
    if (change === "step") show();
    else if (change !== "pruned") draw();
  }

  return {
    load,
    update,
    read: () => (state.model.picture && heatmap.checked ? { cells: true } : {}),
    /** @param {Record<string, any>} values of a link */
    restore: (values) => {
      if (values.cells && state.model.picture) heatmap.click();
    },
  };
}

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

/** Downloads the pictures if the source is one, else the heatmap. @param {Chart} chart @param {State} state */
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
