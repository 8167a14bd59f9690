// @ts-check
// The end of a lesson: the reader's own predictions beside what was right.
import { asData, make } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";
import { progressOf } from "../progress.js";
import { ask, isFit } from "./predictions/predictions.js";
import { plain } from "./predictions/typing.js";

/** @import { Lesson } from "./lesson.js" */
/** @import { Prediction } from "./predictions/predictions.js" */

/**
 * @typedef {object} Line a question that the reader has answered
 * @property {string} name of the step
 * @property {string} question
 * @property {Prediction} prediction
 * @property {any} answer the model's, in the form of a guess
 * @property {any} [shown] the same as text, of a number and of the lines of an order
 */

/**
 * A guess and the answer as texts; for a drawing, a sentence about the difference.
 * @param {Line} line
 * @param {any} guess
 * @returns {{ own: string, right: string, same?: boolean } | { difference: string }}
 */
export function textsOf({ prediction, answer, shown }, guess) {
  const { kind, options } = prediction;
  if (kind === "choose") return { own: options[guess], right: options[answer], same: guess === answer };
  if (kind === "number") return { own: String(guess), right: shown, same: String(guess) === shown };
  if (kind === "type") {
    const [right] = answer.columns; // the most probable word
    return { own: guess, right, same: plain(guess) === plain(right) };
  }
  if (kind === "draw") return { difference: ask(prediction, () => {}).reveal(guess, { answer, shown }) };
  const [guessed, right] = [guess, answer].map((order) =>
    order.map((/** @type {number} */ index) => options[index]).join(" > "),
  );
  return { own: guessed, right, same: guessed === right };
}

/**
 * @param {Line} line
 * @param {any} guess
 */
function item(line, guess) {
  const question = make("p", "", line.question);
  const texts = textsOf(line, guess);
  if ("difference" in texts) return make("li", "", question, make("p", "ls-pair", texts.difference));
  const ownAnswer = make("span", "ls-own", t("you: {answer}", { answer: texts.own }));
  const rightAnswer = make("span", texts.same ? "ls-right" : "", t("right: {answer}", { answer: texts.right }));
  return make("li", "", question, asData(make("p", "ls-pair", ownAnswer, rightAnswer)));
}

/**
 * Lists the reader's predictions of a lesson in a box.
 * @param {HTMLElement} box
 * @param {any} server
 * @param {Lesson} lesson
 * @param {number} answered the number of steps whose answers the reader may see
 */
export async function showRecap(box, server, lesson, answered) {
  const { guesses } = progressOf(lesson.id);
  const steps = lesson.steps.slice(0, answered);
  const asking = steps.filter(({ prediction }) => prediction).map(({ name }) => name);
  const predicted = asking.filter((name) => guesses[name] !== undefined);
  const hint = make("p", "ls-hint");
  box.replaceChildren(hint);
  if (!predicted.length && steps.length < lesson.steps.length) {
    hint.textContent = t("Your prediction is in. Your teacher reveals the answer.");
    return;
  }
  if (!predicted.length) {
    hint.textContent = t("You predicted nothing in this lesson. A guess helps you to remember, even a wrong one.");
    return;
  }
  hint.textContent = t("Asking the model …");
  const { lines = [], refused } = await server.recap({ lesson: lesson.id, names: predicted });
  if (refused !== undefined) {
    hint.textContent = refused;
    return;
  }
  const items = lines
    .filter((/** @type {Line} */ { name, prediction }) => isFit(prediction, guesses[name]))
    .map((/** @type {Line} */ line) => item(line, guesses[line.name]));
  hint.textContent = t("You predicted {count} of {all}.", { count: predicted.length, all: asking.length });
  box.append(make("ol", "ls-recap", ...items));
}
