// @ts-check
// The race of the paths: hints for the points, and a band at the current step.
import { plotlyText } from "../../../widgets/charts/plotly.js";
import { chancesText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { columnBand } from "../shapes.js";

/** @import { FollowFigure } from "../../trace_card.js" */

/** @type {FollowFigure} */
export function follow({ selection }) {
  const { state } = selection;
  return {
    everyStep: true,
    prepare({ data, layout }) {
      for (const line of data.filter(({ text }) => text))
        line.hovertext = line.y.map((logProb, index) => {
          const step = index + layout.meta.given;
          const point = index ? t("step {step}: {token}", { step, token: line.text[index] }) : line.text[index];
          return [line.name, point, plotlyText(chancesText(logProb))].join("<br>");
        });
    },
    click({ customdata }) {
      if (customdata?.length) selection.chooseNode(customdata[0]);
    },
    marks(figure) {
      const x = state.step + 1 - figure.layout.meta.given;
      return x < 0 ? [] : [columnBand(x, state.model.payload.palette.column)];
    },
  };
}
