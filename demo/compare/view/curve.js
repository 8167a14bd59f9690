// @ts-check
// The curve of the beam widths of a comparison, if it has several; otherwise a button that adds them.
import { createAnswerView } from "../../widgets/answers/answer_view.js";
import { loadPlotly } from "../../widgets/charts/plotly.js";
import { find, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { sourceText } from "./texts.js";

/**
 * @param {HTMLElement} root
 * @param {Record<string, any>} props
 * @param {() => void} widen
 */
export function createCurve(root, props, widen) {
  const [card, button] = [find(root, ".cp-curve"), find(root, ".cp-wider", HTMLButtonElement)];
  /** @type {any} */
  let value = null;
  /** @type {ReturnType<typeof createAnswerView> | undefined} */
  let chart;

  /** @returns {[name: string, value: string][]} */
  const about = () => [
    [t("checkpoint"), value.checkpoint],
    [t("source"), sourceText(value.request.text)],
  ];

  button.addEventListener("click", widen);

  return {
    /** @param {any} next a comparison */
    load(next) {
      value = next;
      card.hidden = !next.curve;
      button.hidden = !next.wider;
      setText(button, next.wider?.label ?? "");
      if (!next.curve) return;
      chart ??= createAnswerView(root, card, () => loadPlotly(props.plotly_source), {
        name: () => "comparison-widths",
        about,
        dark: () => props.dark,
        choose() {},
      });
      chart.show(next.curve);
    },
  };
}
