// @ts-check
// The decoder's attention: over the source at the current step, in a heatmap of all steps, or over the source picture.
import { createAttentionEdit } from "./attention_edit.js";
import { createHeatmap } from "./heatmap.js";
import { createPictureAttention, pictureOr } from "./picture_attention.js";
import { createSource } from "./source.js";

/** @import { CreateCard } from "../../trace_card.js" */

/** @type {CreateCard} */
export function create(view, card) {
  const { state } = view.selection;
  const heatmap = createHeatmap(view, card);
  const source = createSource(view, card, heatmap.hover);
  const picture = createPictureAttention(view, card);
  const edit = createAttentionEdit(view, card);

  return {
    charts: { attention: pictureOr(heatmap.chart, state) },
    load(model) {
      source.load(model);
      picture.load(model);
      edit.load();
    },
    update(change) {
      source.update(change);
      picture.update(change);
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
    restore({ values, valueUpTo }) {
      if (values.strongest !== undefined) view.selection.keepMass(values.strongest / 100);
      const [layers, heads] = state.model.attention?.shape ?? [0, 0];
      const [layer, head] = [valueUpTo("layer", layers), valueUpTo("head", heads)];
      if (layer !== null || head !== null) view.selection.chooseHead(layer, head);
      picture.restore(values);
    },
  };
}
