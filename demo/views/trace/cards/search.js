// @ts-check
// The whole search: its tree, and the candidates of the step as a table of buttons.
import { find } from "../../shared/dom.js";
import { createCandidates } from "./candidates.js";
import { createTree } from "./tree.js";

/** @import { Card, View } from "../trace_card.js" */

/**
 * @param {View} view
 * @param {HTMLElement} card
 * @returns {Card}
 */
export function create(view, card) {
  const { selection, edits } = view;
  const tree = createTree(view, card);
  const candidates = createCandidates(view, card);
  const pruned = find(card, ".tv-show-pruned", HTMLInputElement);
  const anew = find(card, ".tv-anew");
  pruned.addEventListener("change", () => selection.showPruned(pruned.checked));
  anew.addEventListener("click", () => edits.replayChosen());

  return {
    charts: { tree: tree.chart },
    load(model) {
      candidates.load(model);
      anew.textContent = edits.replayText();
    },
    update() {
      candidates.update();
      anew.textContent = edits.replayText();
    },
    draw: tree.draw,
    follow: tree.follow,
    read: () => (selection.state.pruned ? {} : { pruned: false }),
    restore({ values }) {
      if (values.pruned !== false) return;
      pruned.checked = false;
      selection.showPruned(false);
    },
  };
}
