// @ts-check
// The agreement of the samples: a box around the row of the chosen sample.

import { frame } from "../shapes.js";

/** @import { FollowFigure } from "../../trace_card.js" */

/** @type {FollowFigure} */
export function follow({ selection }) {
  const { state } = selection;
  return {
    click: (point) => selection.chooseHypothesis(point.y),
    marks() {
      const row = state.hypothesis;
      if (row < 0) return [];
      const line = { color: state.model.payload.palette.text, width: 2 };
      return [frame([-0.5, state.model.hypotheses.length - 0.5], [row - 0.5, row + 0.5], line)];
    },
  };
}
