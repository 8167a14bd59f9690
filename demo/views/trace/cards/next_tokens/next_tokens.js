// @ts-check
// The model's prediction at the current step: the most probable next tokens, before the search chose.

import { find, findAll, isHidden, make, makeButton, makeToken } from "../../../shared/dom.js";
import { tsvText } from "../../../shared/exports/csv.js";
import { leaveMenu } from "../../../shared/menus/menu.js";
import { rove, stopAt, VERTICAL_KEYS } from "../../../shared/menus/roving.js";
import { numberText, percentText } from "../../../shared/numbers.js";
import { t } from "../../../shared/translate.js";
import { certainty } from "../../reading/certainty.js";
import { nextTokensTable } from "../../reading/tables.js";
import { showLast } from "./show_last.js";

/** @import { CreateCard } from "../../trace_card.js" */
/** @import { NextToken, Node } from "../../reading/trace.js" */

const MIN_SHARE = 1e-6; // the rounding error of the probabilities

/** @type {CreateCard} */
export function create({ selection, edits }, card) {
  const [given, bars, entropy] = findAll(card, ".tv-given", ".tv-bars", ".tv-entropy");
  const form = find(card, ".tv-typed", HTMLFormElement);
  const typed = find(form, "[name=token]", HTMLInputElement);
  const { state } = selection;
  const fitting = showLast(given, ".tv-piece");
  const buttons = () => /** @type {HTMLElement[]} */ ([...bars.querySelectorAll("button")]);

  /** @type {(token: NextToken, rank: number, node: Node | undefined, isChosen: boolean) => HTMLElement} */
  function bar(token, rank, node, isChosen) {
    const item = make("li");
    // A token that the search continued leads to its path; others only show what was possible. Dropped tokens can be
    // chosen in the tree and among the candidates.
    const line =
      node && (isChosen || node.status !== "pruned")
        ? makeButton("tv-next", () => selection.chooseNode(node.id))
        : make("div", "tv-next");
    line.style.setProperty("--share", Math.exp(token.log_prob).toFixed(4));
    line.classList.toggle("tv-chosen", isChosen);
    if (isChosen && node) line.setAttribute("aria-disabled", "true"); // pressing the current token changes nothing
    if (line.matches("button")) line.setAttribute("aria-pressed", String(isChosen));
    line.append(
      make("span", "tv-rank", isChosen ? "✓" : String(rank + 1)),
      makeToken("span", "tv-token", state.model.label(token.token)),
      make("span", "tv-bar"),
      make("span", "tv-number", percentText(token.log_prob)),
      make("span", "tv-number tv-minor", numberText(token.log_prob)),
    );
    if (isChosen)
      line.setAttribute(
        "aria-label",
        `${state.model.label(token.token)}, ${percentText(token.log_prob)}, ${t("on the chosen path")}`,
      );
    item.append(line);
    if (edits.editable && !isChosen) item.append(edits.forceButton(token));
    return item;
  }

  /**
   * The row for all other tokens: the probability that the listed ones leave.
   * @param {NextToken[]} listed
   */
  function others(listed) {
    const share = Math.max(MIN_SHARE, 1 - listed.reduce((sum, { log_prob }) => sum + Math.exp(log_prob), 0));
    const line = make("div", "tv-next tv-others");
    line.style.setProperty("--share", share.toFixed(4));
    line.append(
      make("span", "tv-rank"),
      make("span", "tv-token", t("all others")),
      make("span", "tv-bar"),
      make("span", "tv-number", percentText(Math.log(share))),
    );
    const item = make("li");
    item.append(line);
    return item;
  }

  function drawPrefix() {
    const before = state.path
      .slice(0, state.step)
      .map((node) => makeToken("span", "tv-piece", state.model.label(node.token)));
    given.replaceChildren(
      make("span", "tv-lead", t("so far")),
      ...(before.length ? before : [make("span", "tv-piece tv-nothing", t("nothing"))]),
      make("span", "tv-blank", "?"),
    );
    fitting.change();
  }

  function update() {
    const node = selection.current();
    if (!node) return;
    const row = state.model.row(node);
    const siblings = new Map(
      state.model.steps[node.step].nodes
        .filter((other) => other.parent === node.parent)
        .map((other) => [other.token_id, other]),
    );
    const items = row.top.map((token, rank) =>
      bar(token, rank, siblings.get(token.token_id), token.token_id === node.token_id),
    );
    const outside = row.top.every((token) => token.token_id !== node.token_id);
    if (outside) items.push(bar(node, node.token_rank, node, true));
    if (row.top.length) items.push(others(outside ? [...row.top, node] : row.top));
    const focused = bars.contains(document.activeElement);
    bars.replaceChildren(...items);
    const chosenButton = /** @type {HTMLElement | null} */ (bars.querySelector("button.tv-chosen"));
    stopAt(buttons(), chosenButton ?? buttons()[0] ?? null);
    if (focused) chosenButton?.focus();
    const spread = t("entropy {entropy} nats, as if {choices} tokens were equally likely", {
      entropy: numberText(row.entropy),
      choices: numberText(Math.exp(row.entropy), 1),
    });
    const word = row.top.length ? `${certainty(Math.exp(row.top[0].log_prob), row.entropy)} · ` : "";
    entropy.textContent = `${word}${spread}`;
    drawPrefix();
  }

  rove(bars, () => {}, { chips: buttons, keys: VERTICAL_KEYS });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!typed.value.trim()) return;
    leaveMenu(form);
    edits.type(typed.value);
  });

  return {
    load() {
      form.reset();
      update();
    },
    update,
    copies: {
      next: {
        hint: t("Copy the next tokens as a table"),
        text: () => tsvText(nextTokensTable(state.model, selection.current(), isHidden("probabilities"))),
      },
    },
  };
}
