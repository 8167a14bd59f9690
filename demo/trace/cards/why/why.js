// @ts-check
// The table of contributions to this step's token: a column for each method, a row for each token that was read.

import { createQuestions } from "../../../widgets/answers/questions.js";
import { tsvText } from "../../../widgets/exports/files.js";
import { asData, find, make, makeToken, setText } from "../../../widgets/view/dom.js";
import { numberText, sortedIndices } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";

/** @import { CreateCard } from "../../trace_card.js" */
/** @import { Cell } from "../../../widgets/exports/files.js" */

// What each token contributes by one method; see demo/inspect/inspection.py.
/** @typedef {{ title: string, paper: string, source: number[], prefix: number[] | null, gap: number | null }} Explanation */
/** @typedef {{ value: number, sentence: string, methods: Record<string, Explanation>, refused?: string }} Explained */

const BAD_FIT = 0.05; // the share of an effect that scores may miss unsaid
const MIN_STRONG_SCORE = 0.01; // a smaller score, shown as 0.00, is never strong
const MOVES = ["step", "path", "rival"];

/** @type {CreateCard} */
export function create({ selection, server }, card) {
  const { state } = selection;
  const [sentence, box, note] = [find(card, ".tv-why-sentence"), find(card, ".tv-why"), find(card, ".tv-why-note")];
  const [head, body, foot] = [find(box, "thead"), find(box, "tbody"), find(box, "tfoot")];
  const rivals = find(card, ".tv-rival select", HTMLSelectElement);
  /** @type {Explained | null} */
  let explained = null;
  const questions = createQuestions(card, server, "why", show);

  function offerRivals() {
    const options = selection
      .rivals()
      .map(({ token_id, token }) => asData(new Option(state.model.label(token), String(token_id))));
    rivals.replaceChildren(new Option(t("any other"), ""), ...options);
    rivals.value = String(selection.rival() ?? "");
  }

  async function requestExplanation() {
    if (!selection.current()) return;
    offerRivals();
    await questions.ask(selection.question());
  }

  /** @param {Explained} answer */
  function show(answer) {
    explained = answer.methods ? answer : null;
    const methods = Object.values(answer.methods ?? {});
    head.replaceChildren(...(methods.length ? [makeLine(make("th", "", t("token")), ...methods.map(columnHead))] : []));
    body.replaceChildren(...(explained ? lines(explained) : []));
    foot.replaceChildren(...(explained ? checks(explained) : []));
    setText(sentence, explained ? explained.sentence : (answer.refused ?? ""));
    note.textContent = explained ? remarks(explained) : "";
  }

  /** @param {number} index */
  function sourceLabel(index) {
    const { picture, source } = state.model;
    if (!picture) return state.model.label(source[index].surface);
    const [row, column] = [Math.floor(index / picture.cells) + 1, (index % picture.cells) + 1];
    return t("cell {row},{column}", { row, column });
  }

  /** @param {number} index in the prefix; 0 is the start token */
  const prefixLabel = (index) => (index === 0 ? t("start") : state.model.label(state.path[index - 1].token));

  /** @param {Explained} answer */
  function lines({ methods }) {
    const all = Object.values(methods);
    const scales = all.map(shares);
    /** @type {(part: "source" | "prefix", index: number) => HTMLElement[]} */
    const cells = (part, index) =>
      all.map((method, column) => scoreCell(method[part]?.[index], scales[column][part][index]));
    const positions = shownPositions(methods, state.model.picture ? 10 : Number.POSITIVE_INFINITY);
    const prefixRows = Array.from({ length: prefixLength(methods) }, (_, index) =>
      row(prefixLabel(index), cells("prefix", index)),
    );
    return [
      divider(t("read"), all.length),
      ...positions.map((index) => row(sourceLabel(index), cells("source", index))),
      ...(prefixRows.length ? [divider(t("written before"), all.length), ...prefixRows] : []),
    ];
  }

  /**
   * Below each method the cost of removing its strongest source token: the higher, the better the method.
   * @param {Explained} answer
   */
  function checks({ methods }) {
    if (!methods.replaced) return [];
    const costs = Object.values(methods).map(({ source }) => methods.replaced.source[strongestOf(source)]);
    const line = makeLine(make("td"), ...costs.map((cost) => make("td", "tv-number", numberText(cost))));
    return [divider(t("check: nats lost if each method's strongest source token is removed"), costs.length), line];
  }

  /** @param {Explained} answer */
  function remarks({ methods }) {
    const { overrides } = state.model.payload.trace;
    const integrated = methods.integrated_gradients;
    const fitsBadly = integrated && missingShare(integrated) >= BAD_FIT;
    const gap = numberText(integrated?.gap ?? 0);
    return [
      t("In nats, except attention (shares) and gradient (slope)."),
      t("Methods disagree; none is always right."),
      fitsBadly && t("Integrated gradients fit badly here: they miss {gap} nats of the whole.", { gap }),
      !methods.gradient && t("Weights of 8 bits have no gradients. Choose the checkpoint with its full weights."),
      overrides.length > 0 && t("The attention that you replaced is left out here."),
    ]
      .filter(Boolean)
      .join(" ");
  }

  rivals.addEventListener("change", () => selection.chooseRival(rivals.value === "" ? null : Number(rivals.value)));

  return {
    load() {
      questions.forget();
      explained = null;
    },
    answers: questions.recent,
    draw: async () => void requestExplanation(),
    follow: async (change) => void (MOVES.includes(change) && requestExplanation()),
    read: () => (selection.rival() === null ? {} : { rival: selection.rival() }),
    restore: ({ values }) => void (values.rival !== undefined && selection.chooseRival(values.rival)),
    copies: {
      why: {
        hint: t("Copy as a table"),
        text: () => (explained ? tsvText(whyTable(explained, sourceLabel, prefixLabel)) : ""),
      },
    },
  };
}

/** @param {HTMLElement[]} cells */
const makeLine = (...cells) => make("tr", "", ...cells);

/** @param {Explanation} method */
function columnHead({ title, paper }) {
  const cell = make("th", "", title);
  cell.scope = "col";
  cell.title = paper;
  return cell;
}

/** @type {(text: string, columns: number) => HTMLElement} */
function divider(text, columns) {
  const cell = make("th", "", make("span", "", text));
  cell.colSpan = columns + 1;
  cell.scope = "rowgroup";
  const line = makeLine(cell);
  line.className = "tv-why-part";
  return line;
}

/** @type {(label: string, cells: HTMLElement[]) => HTMLElement} */
function row(label, cells) {
  const name = makeToken("th", "tv-token", label);
  name.setAttribute("scope", "row");
  name.title = label;
  return makeLine(name, ...cells);
}

/** @type {(score: number | undefined, share: number) => HTMLElement} empty without a score */
function scoreCell(score, share) {
  if (score === undefined) return make("td", "tv-number", "");
  const cell = make("td", "tv-number", numberText(score));
  cell.title = String(score);
  cell.dataset.sign = share < 0 ? "against" : "for";
  cell.style.setProperty("--share", Math.abs(share).toFixed(3));
  return cell;
}

/** @param {number[]} scores */
export const strongestOf = (scores) =>
  scores.reduce((best, score, index) => (Math.abs(score) > Math.abs(scores[best]) ? index : best), 0);

/** Shares of the strongest score in source and prefix together, from -1 to 1. @param {Explanation} explanation */
export function shares({ source, prefix }) {
  const most = Math.max(...[...source, ...(prefix ?? [])].map(Math.abs), MIN_STRONG_SCORE);
  const share = (/** @type {number} */ score) => score / most;
  return { source: source.map(share), prefix: (prefix ?? []).map(share) };
}

/** The part of an effect that scores miss, as a share of their sum. @param {Explanation} explanation */
export const missingShare = ({ source, prefix, gap }) =>
  (gap ?? 0) /
  Math.max(Math.abs([...source, ...(prefix ?? [])].reduce((sum, score) => sum + score, 0)), MIN_STRONG_SCORE);

/**
 * All indices of the source; if there are too many, those with the highest scores of any method, highest first.
 * @type {(methods: Record<string, Explanation>, most: number) => number[]}
 */
export function shownPositions(methods, most) {
  const scaled = Object.values(methods).map((method) => shares(method).source);
  const positions = [...(scaled[0] ?? []).keys()];
  if (positions.length <= most) return positions;
  const strength = positions.map((index) => Math.max(...scaled.map((scores) => Math.abs(scores[index]))));
  return sortedIndices(strength).slice(0, most);
}

/** @param {Record<string, Explanation>} methods */
const prefixLength = (methods) => Math.max(0, ...Object.values(methods).map(({ prefix }) => prefix?.length ?? 0));

/**
 * The scores as rows of a table.
 * @param {Explained} explained
 * @param {(index: number) => string} sourceLabel
 * @param {(index: number) => string} prefixLabel
 * @returns {Cell[][]}
 */
export function whyTable({ methods }, sourceLabel, prefixLabel) {
  const all = Object.values(methods);
  const source = all[0]?.source ?? [];
  const prefixLine = (_, index) => ["prefix", prefixLabel(index), ...all.map(({ prefix }) => prefix?.[index] ?? "")];
  return [
    ["part", "token", ...Object.keys(methods)],
    ...source.map((_, index) => ["source", sourceLabel(index), ...all.map((method) => method.source[index])]),
    ...Array.from({ length: prefixLength(methods) }, prefixLine),
  ];
}
