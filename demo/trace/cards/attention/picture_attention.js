// @ts-check
// The attention over the picture for each word: large for the current step, small for all steps.

import { cellName, createOverlay, pictureImage } from "../../../widgets/pictures/pictures.js";
import { find, findAll, make, makeButton, makeToken } from "../../../widgets/view/dom.js";
import { clamp, numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { currentRow, strongest, wordRow } from "../../reading/attention_rows.js";
import { sortedIndices } from "../../reading/scores.js";
import { groupAt, pathGroups, pathWord } from "../../reading/words.js";

/** @import { View } from "../../trace_card.js" */
/** @import { Change } from "../../reading/selection.js" */
/** @import { Model, Picture } from "../../reading/trace.js" */

/**
 * @param {View} view
 * @param {HTMLElement} card
 */
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
