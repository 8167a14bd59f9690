// @ts-check
// A view of Inspect: asks Python about the current step, draws the answer, and passes on the reader's choices.

import { createAnswerView } from "../../../widgets/answers/answer_view.js";
import { choicesText, createQuestions, readChoices } from "../../../widgets/answers/questions.js";
import { pictureCaption } from "../../export/downloads.js";

/** @import { CreateCard } from "../../trace_card.js" */

const MOVES = ["step", "path", "rival"];
const NO_PAUSE = 0; // milliseconds: who changes a control waits for its answer

/** @type {CreateCard} */
export function create({ root, selection, plotly, server }, card) {
  const { state } = selection;
  const name = /** @type {string} */ (card.dataset.card);
  const answerView = createAnswerView(root, card, plotly, {
    name: () => name,
    dark: () => state.model.payload.dark,
    source: () => pictureCaption(state, "").lines,
    choose,
    goTo: selection.goTo,
  });
  const questions = createQuestions(card, server, "inspect", answerView.show);
  /** @type {Record<string, string | number>} */
  let choices = {}; // the reader's changes by the controls' names

  const question = () => ({
    ...selection.question(),
    view: name,
    output: state.path.map((node) => node.token_id),
    options: choices,
  });

  async function requestView(pause) {
    if (selection.current()) await questions.ask(question(), pause);
  }

  /** @type {(control: string, value: string | number) => void} */
  function choose(control, value) {
    choices = { ...choices, [control]: value };
    requestView(NO_PAUSE);
  }

  return {
    load: questions.forget,
    answers: questions.recent,
    draw: () => requestView(NO_PAUSE),
    follow: async (change) => void (MOVES.includes(change) && requestView()),
    read: () =>
      card.classList.contains("tv-open") && card.checkVisibility() ? { inspect: choicesText(name, choices) } : {},
    restore({ values }) {
      const restored = readChoices(values.inspect);
      if (restored?.view === name) choices = restored.choices;
    },
  };
}
