// @ts-check
// What the decoder looked at: the source at this step, a heatmap of all steps, or the picture that it read.
import { createAttentionEdit } from "./attention_edit.js";
import { createHeatmap } from "./heatmap.js";
import { createPictureAttention } from "./picture_attention.js";
import { pictureOr } from "./picture_download.js";
import { createSource } from "./source.js";
import { createThreshold } from "./threshold.js";

/** @import { Card, View } from "../../trace_card.js" */

/**
 * @param {View} view
 * @param {HTMLElement} card
 * @returns {Card}
 */
export function create(view, card) {
  const { selection } = view;
  const { state } = selection;
  const heatmap = createHeatmap(view, card);
  const source = createSource(view, card, heatmap.hover);
  const picture = createPictureAttention(view, card);
  const threshold = createThreshold(view, card);
  const edit = createAttentionEdit(view, card);

  return {
    charts: { attention: pictureOr(heatmap.chart, state) },
    load(model) {
      source.load(model);
      picture.load(model);
      threshold.update();
      edit.load();
    },
    update(change) {
      source.update(change);
      picture.update(change);
      threshold.update();
      edit.update();
    },
    draw: heatmap.draw,
    follow: heatmap.follow,
    reveal: heatmap.reveal,
    read: () => ({
      ...(state.layer === null ? {} : { layer: state.layer + 1 }),
      ...(state.head === null ? {} : { head: state.head + 1 }),
      ...(state.mass < 1 ? { strongest: Math.round(100 * state.mass) } : {}),
      ...picture.read(),
    }),
    restore({ values, within }) {
      if (values.strongest !== undefined) selection.keepMass(values.strongest / 100);
      const [layers, heads] = state.model.attention?.shape ?? [0, 0];
      const [layer, head] = [within("layer", layers), within("head", heads)];
      if (layer !== null || head !== null) selection.chooseHead(layer, head);
      picture.restore(values);
    },
  };
}
