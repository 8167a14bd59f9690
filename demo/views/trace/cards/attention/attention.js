// @ts-check
// The decoder's attention: over the source at the current step, in a heatmap of all steps, or over the source picture.
import { find, setText } from "../../../shared/dom.js";
import { percentText } from "../../../shared/numbers.js";
import { t } from "../../../shared/translate.js";
import { hardest } from "../../reading/attention_rows.js";
import { createAttentionEdit } from "./attention_edit.js";
import { createHeatmap } from "./heatmap.js";
import { createPictureAttention } from "./picture_attention.js";
import { pictureOr } from "./picture_download.js";
import { createSource } from "./source.js";
import { createThreshold } from "./threshold.js";

/** @import { CreateCard } from "../../trace_card.js" */

/** @type {CreateCard} */
export function create(view, card) {
  const { selection } = view;
  const { state } = selection;
  const heatmap = createHeatmap(view, card);
  const source = createSource(view, card, heatmap.hover);
  const picture = createPictureAttention(view, card);
  const threshold = createThreshold(view, card);
  const edit = createAttentionEdit(view, card);

  // Describes the strongest head of the current step, whatever layer and head are drawn.
  function describeHardest() {
    const { model } = state;
    const node = selection.current();
    const caption = find(card, ".tv-hardest");
    if (!model.attention || model.picture || !node) return setText(caption, "");
    const { layer, head, place, weight } = hardest(model, model.row(node));
    const sentence = t(
      "Writing “{token}”, head {head} of layer {layer} has the largest weight: {percent} on “{place}”.",
      {
        token: model.label(node.token),
        head: head + 1,
        layer: layer + 1,
        percent: percentText(Math.log(weight)),
        place: model.label(model.source[place].surface),
      },
    );
    setText(caption, sentence);
  }

  return {
    charts: { attention: pictureOr(heatmap.chart, state) },
    load(model) {
      source.load(model);
      picture.load(model);
      threshold.update();
      edit.load();
      describeHardest();
    },
    update(change) {
      source.update(change);
      picture.update(change);
      threshold.update();
      edit.update();
      describeHardest();
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
      if (values.strongest !== undefined) selection.keepMass(values.strongest / 100);
      const [layers, heads] = state.model.attention?.shape ?? [0, 0];
      const [layer, head] = [valueUpTo("layer", layers), valueUpTo("head", heads)];
      if (layer !== null || head !== null) selection.chooseHead(layer, head);
      picture.restore(values);
    },
  };
}
