// @ts-check
// The model's prediction at the current step: the most probable next tokens, before the search chose.

import { tsvText } from "../../../widgets/exports/files.js";
import { leaveMenu } from "../../../widgets/menus/menu.js";
import { rove, stopAt, VERTICAL_KEYS } from "../../../widgets/menus/roving.js";
import { find, findAll, isHidden, make, makeButton, makeToken } from "../../../widgets/view/dom.js";
import { numberText, percentText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { recordedChances, reshapedChances } from "../../reading/chances.js";
import { nextTokensTable } from "../../reading/tables.js";

/** @import { CreateCard, NextToken, Node, Row } from "../../trace_card.js" */
/** @import { Chances, Truncation } from "../../reading/chances.js" */

const MIN_SHARE = 1e-6; // the rounding error of the probabilities
const SURE_PROBABILITY = 0.9; // probability of the first token
const LEANING = 0.6;
const FEW_TOKENS = 6; // equally likely tokens that would be as uncertain

/** @type {CreateCard} */
export function create({ root, selection, edits }, card) {
  const [given, bars, entropy, legend] = findAll(card, ".tv-given", ".tv-bars", ".tv-entropy", ".tv-scales");
  const form = find(card, ".tv-typed", HTMLFormElement);
  const typed = find(form, "[name=token]", HTMLInputElement);
  const { state } = selection;
  const fitting = showLast(given, ".tv-piece");
  const buttons = () => /** @type {HTMLElement[]} */ ([...bars.querySelectorAll("button")]);

  /** @type {Truncation | null} */
  let truncation = null; // settings of the form that the trace was not decoded with

  /**
   * The distribution that the strategy chose by, or would choose by; null if it is the model's own on the page.
   * @type {(row: Row, node: Node) => Chances | null}
   */
  function chancesOf(row, node) {
    const { strategy } = state.model.payload.trace;
    if (truncation) return reshapedChances(row, truncation);
    const chances = recordedChances(row, strategy in state.model.payload.truncations);
    if (!chances) return null;
    if (node.reason === "forced") chances.rest = 0;
    const looksSame = row.top.every(({ log_prob }, rank) => chanceText(chances.listed[rank]) === percentText(log_prob));
    return looksSame ? null : chances;
  }

  const chanceText = (/** @type {number} */ chance) => percentText(Math.log(chance));

  /**
   * The bar and the number of a line: of the model, or of the strategy beside the model.
   * @type {(line: HTMLElement, logProb: number, chance: number | null, isBanned?: boolean) => void}
   */
  function measure(line, logProb, chance, isBanned = false) {
    const number = make("span", "tv-number");
    line.style.setProperty("--share", ((chance ?? Math.exp(logProb)) || 0).toFixed(4));
    line.classList.toggle("tv-cut", chance === 0);
    if (chance === null) number.textContent = percentText(logProb);
    else {
      line.style.setProperty("--own", Math.exp(logProb).toFixed(4));
      const left = isBanned ? t("banned") : t("excluded");
      const text = Number.isNaN(chance) ? "?" : chanceText(chance);
      number.append(make("span", "", chance === 0 ? left : text), make("small", "", percentText(logProb)));
    }
    line.append(make("span", "tv-bar"), number);
  }

  /**
   * @type {(token: NextToken, rank: number, node: Node | undefined, isChosen: boolean, chance: number | null,
   *   isBanned?: boolean) => HTMLElement}
   */
  function bar(token, rank, node, isChosen, chance, isBanned) {
    // A token that the search continued leads to its path; others only show what was possible. Dropped tokens can be
    // chosen in the tree and among the candidates.
    const leads = node && (isChosen || node.status !== "pruned");
    const line = leads ? makeButton("tv-next", () => selection.chooseNode(node.id)) : make("div", "tv-next");
    line.classList.toggle("tv-chosen", isChosen);
    if (isChosen && node) line.ariaDisabled = "true"; // pressing the current token changes nothing
    if (line.matches("button")) line.ariaPressed = String(isChosen);
    const label = state.model.label(token.token);
    line.append(make("span", "tv-rank", isChosen ? "✓" : String(rank + 1)), makeToken("span", "tv-token", label));
    measure(line, token.log_prob, chance, isBanned);
    line.append(make("span", "tv-number tv-minor", numberText(token.log_prob)));
    if (isChosen) line.ariaLabel = `${label}, ${percentText(token.log_prob)}, ${t("on the chosen path")}`;
    return make("li", "", line, edits.editable && !isChosen ? edits.forceButton(token) : null);
  }

  /** @type {(tokens: NextToken[], chance: number | null) => HTMLElement} the probability that they leave */
  function others(tokens, chance) {
    const share = Math.max(MIN_SHARE, 1 - tokens.reduce((sum, { log_prob }) => sum + Math.exp(log_prob), 0));
    const name = make("span", "tv-token", t("all others"));
    const line = make("div", "tv-next tv-others", make("span", "tv-rank"), name);
    measure(line, Math.log(share), chance);
    return make("li", "", line);
  }

  /** @param {Chances | null} chances */
  function drawLegend(chances) {
    bars.classList.toggle("tv-two", chances !== null);
    legend.hidden = chances === null;
    if (!chances) return;
    const scales = truncation
      ? t("bar: the settings of the form, not decoded yet; mark: the model")
      : t("bar: the strategy; mark: the model");
    const estimate = chances.exact ? "" : t("estimated from the sum and the entropy of all others");
    legend.textContent = [scales, estimate].filter(Boolean).join("; ");
  }

  function drawPrefix() {
    const labels = state.path.slice(0, state.step).map(({ token }) => state.model.label(token));
    const before = labels.map((label) => makeToken("span", "tv-piece", label));
    if (!before.length) before.push(make("span", "tv-piece tv-nothing", t("nothing")));
    given.replaceChildren(make("span", "tv-lead", t("so far")), ...before, make("span", "tv-blank", "?"));
    fitting.change();
  }

  function update() {
    const node = selection.current();
    if (!node) return;
    const row = state.model.row(node);
    const siblings = state.model.steps[node.step].nodes.filter(({ parent }) => parent === node.parent);
    const chances = chancesOf(row, node);
    const items = row.top.map((token, rank) => {
      const isBanned = row.allowed?.[rank] === -Infinity && node.reason !== "forced";
      const chance = chances?.listed[rank] ?? null;
      const candidate = siblings.findLast(({ token_id }) => token_id === token.token_id);
      return bar(token, rank, candidate, token.token_id === node.token_id, chance, isBanned);
    });
    const outside = row.top.every((token) => token.token_id !== node.token_id);
    // Of a token that is not listed, only the recorded number is known.
    const recorded = truncation ? Number.NaN : (node.chance ?? Math.exp(node.log_prob));
    const chance = chances && recorded;
    if (outside) items.push(bar(node, node.token_rank, node, true, chance));
    const rest = chances && Math.max(0, chances.rest - (outside ? chance || 0 : 0));
    if (row.top.length) items.push(others(outside ? [...row.top, node] : row.top, rest));
    drawLegend(chances);
    const focused = bars.contains(document.activeElement);
    bars.replaceChildren(...items);
    const chosenButton = /** @type {HTMLElement | null} */ (bars.querySelector("button.tv-chosen"));
    stopAt(buttons(), chosenButton ?? buttons()[0] ?? null);
    if (focused) chosenButton?.focus();
    const values = { entropy: numberText(row.entropy), choices: numberText(Math.exp(row.entropy), 1) };
    const spread = t("entropy {entropy} nats, as if {choices} tokens were equally likely", values);
    const word = row.top.length ? `${certainty(Math.exp(row.top[0].log_prob), row.entropy)} · ` : "";
    const sentence = `${word}${spread}`;
    // The bars may be those of the strategy; the entropy is the model's.
    entropy.textContent = chances ? t("Before the settings: {sentence}", { sentence }) : sentence;
    drawPrefix();
  }

  rove(bars, () => {}, { chips: buttons, keys: VERTICAL_KEYS });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!typed.value.trim()) return;
    leaveMenu(form);
    edits.type(typed.value);
  });

  // Settings that the form asks for and this trace was not decoded with.
  root.addEventListener("unrolled:settings", (event) => {
    const settings = /** @type {CustomEvent<Record<string, any> | null>} */ (event).detail;
    /** @type {string[] | undefined} */
    const names = settings && state.model?.payload.truncations[settings.strategy];
    truncation = names ? Object.fromEntries(names.map((name) => [name, Number(settings?.[name])])) : null;
    if (state.model) update();
  });

  return {
    load() {
      truncation = null;
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

/**
 * The certainty of a prediction in words: a probability of 93 % and an entropy "like 2.3 equal choices" seem to
 * contradict each other, since the entropy also counts the long tail.
 * @param {number} share probability of the most probable token
 * @param {number} entropy in nats
 */
export function certainty(share, entropy) {
  if (share >= SURE_PROBABILITY) return t("Sure of one token");
  if (share >= LEANING) return t("Leans to one token");
  if (Math.exp(entropy) < FEW_TOKENS) return t("Torn between a few tokens");
  return t("Open: many tokens are possible");
}

/**
 * Shows the last pieces of a line, as many as fit, each of them complete.
 * @param {HTMLElement} line a row that clips its content
 * @param {string} selector of the pieces in it
 */
function showLast(line, selector) {
  const more = make("span", "tv-lead", "…");
  let ticket = 0; // animation frame in which the pieces are measured

  function fit() {
    const pieces = /** @type {HTMLElement[]} */ ([...line.querySelectorAll(selector)]);
    more.remove();
    for (const piece of pieces) piece.hidden = false;
    if (line.scrollWidth <= line.clientWidth || !pieces.length) return;
    pieces[0].before(more);
    const overflow = line.scrollWidth - line.clientWidth;
    const [first] = pieces;
    const far = pieces.findIndex((piece) => Math.abs(piece.offsetLeft - first.offsetLeft) >= overflow);
    const hidden = pieces.slice(0, far < 0 ? -1 : far); // the last one always stays
    for (const piece of hidden) piece.hidden = true;
    more.title = hidden.map((piece) => piece.textContent).join(" ");
  }

  function change() {
    cancelAnimationFrame(ticket);
    ticket = requestAnimationFrame(fit);
  }

  new ResizeObserver(change).observe(line); // the observer also calls it when the line becomes visible
  return { change };
}
