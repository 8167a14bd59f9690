// @ts-check
// The cloud of the samples: their texts on hover, and a ring around the chosen one.
import { plotlyText } from "../../../widgets/charts/plotly.js";
import { numberText, percentText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { ring } from "../shapes.js";

/** @import { FollowFigure, Hypothesis } from "../../trace_card.js" */

const RING_GAP_PIXELS = 4; // pixels between a point and its ring

/** @type {(one: Hypothesis, other: Hypothesis) => boolean} */
const sameOutput = (one, other) => String(one.token_ids) === String(other.token_ids);

/** @type {FollowFigure} */
export function follow({ selection }) {
  const { state } = selection;

  /** @param {number} index of a hypothesis */
  function hoverText(index) {
    const { hypotheses } = state.model;
    const sample = hypotheses[index];
    const count = hypotheses.filter((other) => sameOutput(other, sample)).length;
    const times = count === 1 ? t("drawn once") : t("drawn {count} times", { count });
    const percent = plotlyText(percentText(sample.log_prob));
    const chances = t("log-prob {value} ({percent})", { value: numberText(sample.log_prob), percent });
    return `${plotlyText(sample.text) || t("(empty)")}<br>${chances}, ${times}`;
  }

  return {
    click: (point) => selection.chooseHypothesis(point.customdata),
    prepare({ data: [points] }) {
      points.hovertext = points.customdata.map(hoverText);
    },
    marks({ data: [points] }) {
      const sample = state.model.hypotheses[state.hypothesis];
      if (!sample) return [];
      const index = points.customdata.findIndex((index) => sameOutput(state.model.hypotheses[index], sample));
      const radius = points.marker.size[index] / 2 + RING_GAP_PIXELS;
      const line = { color: state.model.payload.palette.text, width: 2 };
      return [ring([points.x[index], points.y[index]], radius, line)];
    },
  };
}
