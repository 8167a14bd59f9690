// @ts-check
// The probability mass: hints for the blocks, the chosen path through them, and a frame at the current step.
import { plotlyText } from "../../../widgets/charts/plotly.js";
import { chancesText } from "../../../widgets/view/numbers.js";
import { frame } from "../shapes.js";

/** @import { Figure, FollowFigure } from "../../trace_card.js" */

const SHOWN_TOKENS = 6;
const HALF_ROW = 0.44; // half the height of a block, in rows

/** @type {FollowFigure} */
export function follow({ selection }) {
  const { state } = selection;
  /** @type {Map<number, { left: number, right: number, row: number }>} */
  let blocks = new Map(); // keys: ids of candidates

  /** @type {(ids: number[], label: string) => string} */
  function beginning(ids, label) {
    const tokens = ids.length ? state.model.path(ids[0]).map((node) => state.model.figureLabel(node.token)) : [];
    if (!tokens.length) return label;
    return [...(tokens.length > SHOWN_TOKENS ? ["…"] : []), ...tokens.slice(-SHOWN_TOKENS)].join(" ");
  }

  return {
    everyStep: true,
    click({ customdata }) {
      if (!customdata?.length) return;
      const inPath = state.path.find((node) => customdata.includes(node.id)); // prefers the node of the chosen path
      selection.chooseNode(inPath ? inPath.id : customdata[0]);
    },
    /** @param {Figure} figure */
    prepare({ data }) {
      blocks = new Map();
      for (const bars of data.filter(({ type }) => type === "bar")) {
        bars.hovertext = bars.customdata.map((ids, index) => {
          const lines = [beginning(ids, bars.text[index]), plotlyText(chancesText(Math.log(bars.x[index]))), bars.name];
          return lines.filter(Boolean).join("<br>");
        });
        bars.customdata.forEach((ids, index) => {
          const block = { left: bars.base[index], right: bars.base[index] + bars.x[index], row: bars.y[index] };
          for (const id of ids) blocks.set(id, block);
        });
      }
    },
    marks() {
      const line = { color: state.model.payload.palette.text, width: 2 };
      const rectangles = state.path.flatMap((node) => blocks.get(node.id) ?? []);
      if (!rectangles.length) return [];
      const centres = rectangles.map(({ left, right, row }) => `${(left + right) / 2},${row}`);
      const path = { type: "path", path: `M${centres.join(" L")}`, line };
      const now = blocks.get(selection.current().id);
      return now ? [path, frame([now.left, now.right], [now.row - HALF_ROW, now.row + HALF_ROW], line)] : [path];
    },
  };
}
