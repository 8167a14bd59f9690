// @ts-check
// The agreement of the samples: a box around the row of the chosen sample.

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
      const last = state.model.hypotheses.length - 1;
      return [{ type: "rect", x0: -0.5, x1: last + 0.5, y0: row - 0.5, y1: row + 0.5, line, layer: "above" }];
    },
  };
}
