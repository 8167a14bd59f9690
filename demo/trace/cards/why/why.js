// @ts-check
// The table of contributions to this step's token: a column for each method, a row for each token that was read.

import { createQuestions } from "../../../widgets/answers/questions.js";
import { tsvText } from "../../../widgets/exports/csv.js";
import { asData, find, make, makeToken, setText } from "../../../widgets/view/dom.js";
import { numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { stepOf } from "../inspect/step.js";
import { missingShare, shares, shownPositions, strongestOf, whyTable } from "./why_table.js";

/** @import { CreateCard } from "../../trace_card.js" */
/** @import { Explained } from "./why_table.js" */

const BAD_FIT = 0.05; // the share of an effect that scores may miss unsaid
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
    await questions.ask(stepOf(selection));
  }

  /** @param {Explained} answer */
  function show(answer) {
    explained = answer.methods ? answer : null;
    const methods = Object.values(answer.methods ?? {});
    head.replaceChildren(...(methods.length ? [headLine(methods)] : []));
    body.replaceChildren(...(explained ? lines(explained) : []));
    foot.replaceChildren(...(explained ? checks(explained) : []));
    setText(sentence, explained ? explained.sentence : (answer.refused ?? ""));
    note.textContent = explained ? remarks(explained) : "";
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

  /** @param {number} index */
  function sourceLabel(index) {
    const { picture, source } = state.model;
    if (picture)
      return t("cell {row},{column}", {
        row: Math.floor(index / picture.cells) + 1,
        column: (index % picture.cells) + 1,
      });
    return state.model.label(source[index].surface);
  }

  /** @param {number} index in the prefix; 0 is the start token */
  const prefixLabel = (index) => (index === 0 ? t("start") : state.model.label(state.path[index - 1].token));

  /** @param {Explained} answer */
  function lines({ methods }) {
    const all = Object.values(methods);
    const scale = all.map(shares);
    const positions = shownPositions(methods, state.model.picture ? 10 : Number.POSITIVE_INFINITY);
    const sourceRows = positions.map((index) =>
      row(
        sourceLabel(index),
        all.map(({ source }, column) => [source[index], scale[column].source[index]]),
      ),
    );
    const length = Math.max(0, ...all.map(({ prefix }) => prefix?.length ?? 0));
    const prefixRows = Array.from({ length }, (_, index) =>
      row(
        prefixLabel(index),
        all.map(({ prefix }, column) => (prefix ? [prefix[index], scale[column].prefix[index]] : null)),
      ),
    );
    return [
      divider(t("read"), all.length),
      ...sourceRows,
      ...(prefixRows.length ? [divider(t("written before"), all.length), ...prefixRows] : []),
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
    for (const scored of cells) {
      const cell = make("td", "tv-number", scored ? numberText(scored[0]) : "");
      if (scored) {
        cell.title = String(scored[0]);
        cell.dataset.sign = scored[1] < 0 ? "against" : "for";
        cell.style.setProperty("--share", Math.abs(scored[1]).toFixed(3));
      }
      line.append(cell);
    }
    return line;
  }

  /**
   * Below each method the cost of removing its strongest source token: the higher, the better the method.
   * @param {Explained} answer
   */
  function checks({ methods }) {
    if (!methods.replaced) return [];
    const costs = Object.values(methods).map(({ source }) => methods.replaced.source[strongestOf(source)]);
    const line = make("tr");
    line.append(make("td"), ...costs.map((cost) => make("td", "tv-number", numberText(cost))));
    return [divider(t("check: nats lost if each method's strongest source token is removed"), costs.length), line];
  }

  /** @param {Explained} answer */
  function remarks({ methods }) {
    const { overrides } = state.model.payload.trace;
    const integrated = methods.integrated_gradients;
    return [
      t("In nats, except attention (shares) and gradient (slope)."),
      t("Methods disagree; none is always right."),
      integrated && missingShare(integrated) >= BAD_FIT
        ? t("Integrated gradients fit badly here: they miss {gap} nats of the whole.", {
            gap: numberText(integrated.gap ?? 0),
          })
        : "",
      methods.gradient ? "" : t("Weights of 8 bits have no gradients. Choose the checkpoint with its full weights."),
      overrides.length ? t("The attention that you replaced is left out here.") : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  const forgetAnswers = () => {
    questions.forget();
    explained = null;
  };
  rivals.addEventListener("change", () => selection.chooseRival(rivals.value === "" ? null : Number(rivals.value)));

  return {
    load: forgetAnswers,
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
