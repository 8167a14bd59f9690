// @ts-check
// The probability mass: what each block is, the chosen path down through its blocks, a frame at the current step.
import { plotlyText } from "../../../shared/charts/plotly.js";
import { chancesText } from "../../../shared/numbers.js";

/** @import { Figure, Follower, View } from "../../trace_card.js" */

const SHOWN_TOKENS = 6;
const ROW = 0.44; // half the height of a block, in rows

/**
 * @param {View} view
 * @returns {Follower}
 */
export function follow({ selection }) {
  const { state } = selection;
  /** @type {Map<number, { left: number, right: number, row: number }>} */
  let blocks = new Map(); // by the id of a candidate

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
      const own = state.path.find((node) => customdata.includes(node.id)); // of equal ones, the one in view
      selection.chooseNode(own ? own.id : customdata[0]);
    },
    /** @param {Figure} figure */
    prepare({ data }) {
      blocks = new Map();
      for (const bars of data.filter(({ type }) => type === "bar")) {
        bars.hovertext = bars.customdata.map((ids, at) => {
          const lines = [beginning(ids, bars.text[at]), plotlyText(chancesText(Math.log(bars.x[at]))), bars.name];
          return lines.filter(Boolean).join("<br>");
        });
        bars.customdata.forEach((ids, at) => {
          const place = { left: bars.base[at], right: bars.base[at] + bars.x[at], row: bars.y[at] };
          for (const id of ids) blocks.set(id, place);
        });
      }
    },
    marks() {
      const { text } = state.model.payload.palette;
      const places = state.path.flatMap((node) => blocks.get(node.id) ?? []);
      if (!places.length) return [];
      const line = places.map(({ left, right, row }, at) => `${at ? "L" : "M"}${(left + right) / 2},${row}`);
      const now = blocks.get(selection.current().id);
      const frame = now && {
        type: "rect",
        x0: now.left,
        x1: now.right,
        y0: now.row - ROW,
        y1: now.row + ROW,
        line: { color: text, width: 2 },
      };
      return [{ type: "path", path: line.join(" "), line: { color: text, width: 2 } }, ...(frame ? [frame] : [])];
    },
  };
}
