// @ts-check
// The finished hypotheses as buttons, in the order of the ranking.
import { find, make, makeButton, makeToken } from "../../../widgets/view/dom.js";
import { clamp, numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { endedByItself } from "../../reading/trace.js";

/** @import { Hypothesis, Model, View } from "../../trace_card.js" */

/** @param {View} view @param {HTMLElement} card */
export function createHypotheses({ selection }, card) {
  const list = find(card, ".tv-hypotheses");
  const { state } = selection;
  /** @type {HTMLElement[]} */
  let items = []; // one for each hypothesis
  /** @type {number[]} */
  let order = []; // hypotheses in the order of the list

  /** @param {number} index */
  const buttonOf = (index) => /** @type {HTMLElement} */ (items[index].firstChild);

  /** @type {(hypothesis: Hypothesis, index: number) => HTMLElement} */
  function row(hypothesis, index) {
    const button = makeButton("tv-hypothesis", () => selection.chooseHypothesis(index));
    const end = endedByItself(state.model, hypothesis) ? "" : ` …${t("cut off")}`;
    const text = makeToken("span", "tv-text", (hypothesis.text || t("(empty)")) + end);
    text.title = hypothesis.text;
    const count = hypothesis.token_ids.length;
    button.append(
      make("span", "tv-rank", String(index + 1)), // the rank that the search gave it, which is its name
      make("span", "tv-moved"),
      text,
      make("span", "tv-bar"),
      make("span", "tv-number"),
      make("span", "tv-number tv-minor tv-log-prob", `log-p ${numberText(hypothesis.log_prob)}`),
      make("span", "tv-number tv-minor", count === 1 ? t("1 token") : t("{count} tokens", { count })),
    );
    return make("li", "", button);
  }

  /** @param {number[]} next hypotheses from the first to the last @param {number[]} scores by hypothesis */
  function rank(next, scores) {
    const best = Math.max(...scores);
    next.forEach((hypothesis, index) => {
      const button = buttonOf(hypothesis);
      const [moved, score] = [".tv-moved", ".tv-number"].map((name) => find(button, name));
      // The bar shows the ratio to the best, since scores have no natural scale.
      button.style.setProperty("--share", (best > -Infinity ? Math.exp(scores[hypothesis] - best) : 0).toFixed(3));
      score.textContent = numberText(scores[hypothesis], 3);
      const way = index === hypothesis ? "" : `${index < hypothesis ? "↑" : "↓"}${Math.abs(index - hypothesis)}`;
      const wins = index === 0 && next.length > 1;
      moved.textContent = wins ? `★${way}` : way;
      button.classList.toggle("tv-winner", wins);
    });
    if (String(next) !== String(order)) list.replaceChildren(...next.map((index) => items[index]));
    order = next;
  }

  // The keys follow the visible order, which differs from the search's after another ranking.
  list.addEventListener("keydown", (event) => {
    const offset = /** @type {Record<string, number>} */ ({ ArrowUp: -1, ArrowDown: 1 })[event.key];
    if (!offset || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const index = clamp(order.indexOf(state.hypothesis) + offset, 0, order.length - 1);
    selection.chooseHypothesis(order[index]);
    if (items[order[index]]) buttonOf(order[index]).focus();
  });

  function mark() {
    for (const index of items.keys()) buttonOf(index).setAttribute("aria-pressed", String(index === state.hypothesis));
  }

  /** @param {Model} model */
  function load(model) {
    items = model.hypotheses.map(row);
    order = [...items.keys()];
    list.replaceChildren(...items);
    mark();
  }

  return { load, update: mark, rank };
}
