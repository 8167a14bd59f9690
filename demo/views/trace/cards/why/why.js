// @ts-check
// What the token of this step depends on: a column for each method, a row for each token that the network read.

import { createQuestions } from "../../../shared/answers/questions.js";
import { find, make, makeToken } from "../../../shared/dom.js";
import { tsvText } from "../../../shared/exports/csv.js";
import { numberText } from "../../../shared/numbers.js";
import { t } from "../../../shared/translate.js";
import { stepOf } from "../inspect/step.js";
import { shares, shownPlaces, strongestOf, whyTable } from "./why_table.js";

/** @import { Card, View } from "../../trace_card.js" */
/** @import { Explained } from "./why_table.js" */

const MOVES = ["step", "path", "rival"];

/**
 * @param {View} view
 * @param {HTMLElement} card
 * @returns {Card}
 */
export function create({ selection, server }, card) {
  const { state } = selection;
  const [sentence, box, note] = [find(card, ".tv-why-told"), find(card, ".tv-why"), find(card, ".tv-why-note")];
  const [head, body, foot] = [find(box, "thead"), find(box, "tbody"), find(box, "tfoot")];
  const rivals = find(card, ".tv-rival select", HTMLSelectElement);
  /** @type {Explained | null} */
  let shown = null;
  const questions = createQuestions(card, server, "why", show);

  function offerRivals() {
    const options = selection
      .rivals()
      .map(({ token_id, token }) => new Option(state.model.label(token), String(token_id)));
    rivals.replaceChildren(new Option(t("any other"), ""), ...options);
    rivals.value = String(selection.rival() ?? "");
  }

  async function look() {
    if (!selection.current()) return;
    offerRivals();
    await questions.ask(stepOf(selection));
  }

  /** @param {Explained} answer */
  function show(answer) {
    shown = answer.methods ? answer : null;
    const methods = Object.values(answer.methods ?? {});
    head.replaceChildren(...(methods.length ? [headLine(methods)] : []));
    body.replaceChildren(...(shown ? lines(shown) : []));
    foot.replaceChildren(...(shown ? checks(shown) : []));
    sentence.textContent = shown ? shown.sentence : (answer.refused ?? "");
    note.textContent = shown ? remarks(shown) : "";
  }

  /** @param {Explained["methods"][string][]} methods */
  function headLine(methods) {
    const line = make("tr");
    line.append(make("th", "", t("token")));
    for (const { title, paper } of methods) {
      const cell = make("th", "", title);
      cell.setAttribute("scope", "col");
      cell.title = paper;
      line.append(cell);
    }
    return line;
  }

  /** @param {number} place */
  function sourceLabel(place) {
    const { picture, source } = state.model;
    if (picture)
      return t("cell {row},{column}", {
        row: Math.floor(place / picture.cells) + 1,
        column: (place % picture.cells) + 1,
      });
    return state.model.label(source[place].surface);
  }

  /** @param {number} place in the prefix; 0 is the start token */
  const prefixLabel = (place) => (place === 0 ? t("start") : state.model.label(state.path[place - 1].token));

  /** @param {Explained} answer */
  function lines({ methods }) {
    const each = Object.values(methods);
    const scale = each.map(shares);
    const places = shownPlaces(methods, state.model.picture ? 10 : Number.POSITIVE_INFINITY);
    const read = places.map((place) =>
      row(
        sourceLabel(place),
        each.map(({ source }, at) => [source[place], scale[at].source[place]]),
      ),
    );
    const length = Math.max(0, ...each.map(({ prefix }) => prefix?.length ?? 0));
    const written = Array.from({ length }, (_, place) =>
      row(
        prefixLabel(place),
        each.map(({ prefix }, at) => (prefix ? [prefix[place], scale[at].prefix[place]] : null)),
      ),
    );
    return [
      divider(t("read"), each.length),
      ...read,
      ...(written.length ? [divider(t("written before"), each.length), ...written] : []),
    ];
  }

  /** @type {(text: string, columns: number) => HTMLElement} */
  function divider(text, columns) {
    const line = make("tr", "tv-why-part");
    const cell = make("th");
    cell.append(make("span", "", text));
    cell.setAttribute("colspan", String(columns + 1));
    cell.setAttribute("scope", "rowgroup");
    line.append(cell);
    return line;
  }

  /** @type {(label: string, cells: ([number, number] | null)[]) => HTMLElement} cells: score and share */
  function row(label, cells) {
    const line = make("tr");
    const name = makeToken("th", "tv-token", label);
    name.setAttribute("scope", "row");
    name.title = label;
    line.append(name);
    for (const each of cells) {
      const cell = make("td", "tv-number", each ? numberText(each[0]) : "");
      if (each) {
        cell.title = String(each[0]);
        cell.dataset.sign = each[1] < 0 ? "against" : "for";
        cell.style.setProperty("--share", Math.abs(each[1]).toFixed(3));
      }
      line.append(cell);
    }
    return line;
  }

  /**
   * Under each method what its own strongest token of the source costs when it is taken out: a method that names
   * what the answer depends on names what is missed.
   * @param {Explained} answer
   */
  function checks({ methods }) {
    if (!methods.replaced) return [];
    const costs = Object.values(methods).map(({ source }) => methods.replaced.source[strongestOf(source)]);
    const line = make("tr");
    line.append(make("td"), ...costs.map((cost) => make("td", "tv-number", numberText(cost))));
    return [divider(t("check: nats lost without each one's strongest of the source"), costs.length), line];
  }

  /** @param {Explained} answer */
  function remarks({ methods }) {
    const { overrides } = state.model.payload.trace;
    const gap = methods.integrated_gradients?.gap;
    return [
      t("In nats, but for attention (shares) and gradient (steepness)."),
      gap == null ? "" : t("Integrated gradients add up to within {gap} nats.", { gap: numberText(gap, 4) }),
      methods.gradient ? "" : t("Weights of 8 bits have no gradients. Choose the checkpoint with its full weights."),
      overrides.length ? t("The attention that you replaced is left out here.") : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  const outdated = () => {
    questions.forget();
    shown = null;
  };
  rivals.addEventListener("change", () => selection.chooseRival(rivals.value === "" ? null : Number(rivals.value)));

  return {
    load: outdated,
    answers: questions.recent,
    draw: async () => void look(),
    follow: async (change) => void (MOVES.includes(change) && look()),
    read: () => (selection.rival() === null ? {} : { rival: selection.rival() }),
    restore: ({ values }) => void (values.rival !== undefined && selection.chooseRival(values.rival)),
    copies: {
      why: {
        hint: t("Copy as a table"),
        text: () => (shown ? tsvText(whyTable(shown, sourceLabel, prefixLabel)) : ""),
      },
    },
  };
}
