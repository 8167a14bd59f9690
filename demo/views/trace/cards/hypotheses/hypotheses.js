// @ts-check
// The hypotheses that the search finished, as buttons in the order that the ranking asks for.
import { find, make, makeButton, makeToken } from "../../../shared/dom.js";
import { clamp, numberText } from "../../../shared/numbers.js";
import { t } from "../../../shared/translate.js";
import { endedByItself } from "../../reading/trace.js";

/** @import { View } from "../../trace_card.js" */
/** @import { Hypothesis, Model } from "../../reading/trace.js" */

/**
 * @param {View} view
 * @param {HTMLElement} card
 */
export function createHypotheses({ selection }, card) {
  const list = find(card, ".tv-hypotheses");
  const { state } = selection;
  /** @type {HTMLElement[]} */
  let items = []; // by hypothesis
  /** @type {number[]} */
  let order = []; // hypotheses as they stand in the list

  /** @param {number} index */
  const buttonOf = (index) => /** @type {HTMLElement} */ (items[index].firstChild);

  /** @type {(hypothesis: Hypothesis, index: number) => HTMLElement} */
  function row(hypothesis, index) {
    const item = make("li");
    const button = makeButton("tv-hypothesis", () => selection.chooseHypothesis(index));
    const end = endedByItself(state.model, hypothesis) ? "" : ` …${t("cut off")}`;
    const text = makeToken("span", "tv-text", (hypothesis.text || t("(empty)")) + end);
    text.title = hypothesis.text;
    const count = hypothesis.token_ids.length;
    button.append(
      make("span", "tv-rank", String(index + 1)), // its name: the place that the search gave it
      make("span", "tv-moved"),
      text,
      make("span", "tv-bar"),
      make("span", "tv-number"),
      make("span", "tv-number tv-minor", `log-p ${numberText(hypothesis.log_prob)}`),
      make("span", "tv-number tv-minor", count === 1 ? t("1 token") : t("{count} tokens", { count })),
    );
    item.append(button);
    return item;
  }

  /**
   * @param {number[]} next hypotheses from the first place to the last
   * @param {number[]} scores what each one has now
   */
  function rank(next, scores) {
    const best = Math.max(...scores);
    next.forEach((index, place) => {
      const button = buttonOf(index);
      const [moved, score] = [".tv-moved", ".tv-number"].map((name) => find(button, name));
      // The bar is the ratio to the best: scores themselves have no natural end of scale.
      button.style.setProperty("--share", (best > -Infinity ? Math.exp(scores[index] - best) : 0).toFixed(3));
      score.textContent = numberText(scores[index], 3);
      const way = place === index ? "" : `${place < index ? "↑" : "↓"}${Math.abs(place - index)}`;
      const wins = place === 0 && next.length > 1;
      moved.textContent = wins ? `★${way}` : way;
      button.classList.toggle("tv-winner", wins);
    });
    if (String(next) !== String(order)) list.replaceChildren(...next.map((index) => items[index]));
    order = next;
  }

  // The keys follow what the eye sees: after ranking anew that is not the order of the search.
  list.addEventListener("keydown", (event) => {
    const offset = /** @type {Record<string, number>} */ ({ ArrowUp: -1, ArrowDown: 1 })[event.key];
    if (!offset || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const place = clamp(order.indexOf(state.hypothesis) + offset, 0, order.length - 1);
    selection.chooseHypothesis(order[place]);
    if (items[order[place]]) buttonOf(order[place]).focus();
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
