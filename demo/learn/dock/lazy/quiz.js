// @ts-check
// The end of a lesson: the reader's own predictions beside what was right, and its exit quiz. And one question of an
// earlier lesson, which stands at the start.
import { asData, make, makeButton } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";
import { progressOf } from "../progress.js";
import { strongest } from "./predictions/drawing.js";
import { ask, isFit, plain } from "./predictions/predictions.js";

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
 * @returns {{ own: string, right: string, same?: boolean } | { difference: string, same?: false }}
 */
export function textsOf({ prediction, answer, shown }, guess) {
  const { kind, options, rows = [] } = prediction;
  if (kind === "choose") return { own: options[guess], right: options[answer], same: guess === answer };
  if (kind === "number") return { own: String(guess), right: shown, same: String(guess) === shown };
  if (kind === "type") {
    const [right] = answer.columns; // the most probable word
    return { own: guess, right, same: plain(guess) === plain(right) };
  }
  if (prediction.keep) {
    const [own, right] = [guess, answer.values.map(strongest)].map((marks) =>
      rows.filter((_, row) => !marks[row]).join(" · "),
    );
    return { own, right, same: own === right };
  }
  if (kind === "draw") return { difference: ask(prediction, () => {}).reveal(guess, { answer, shown }) };
  const [guessed, right] = [guess, answer].map((order) =>
    order.map((/** @type {number} */ index) => options[index]).join(" > "),
  );
  return { own: guessed, right, same: guessed === right };
}

/** @param {Line} line @param {ReturnType<typeof textsOf>} texts */
function recapLine(line, texts) {
  const question = make("p", "", line.question);
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
async function showRecap(box, server, lesson, answered) {
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
  const answers = lines
    .filter((/** @type {Line} */ { name, prediction }) => isFit(prediction, guesses[name]))
    .map((/** @type {Line} */ line) => ({ line, texts: textsOf(line, guesses[line.name]) }));
  hint.textContent = t("You answered {count} of {all} questions. Exactly right: {right}.", {
    count: predicted.length,
    all: asking.length,
    right: answers.filter(({ texts }) => texts.same).length,
  });
  box.append(make("ol", "ls-recap", ...answers.map(({ line, texts }) => recapLine(line, texts))));
}

/**
 * @typedef {object} Item
 * @property {string} name
 * @property {string} at the step of the lesson that holds the answer; empty for general knowledge
 * @property {string} text
 * @property {string[]} options
 * @property {number} answer the index of the right option
 * @property {string} explanation
 * @property {string} source the work that holds a general answer
 */

/**
 * A question; the answer is shown after the choice.
 * @param {Item} item
 * @param {(box: HTMLElement) => void} [onChoice] adds to the answer
 */
function quizItem(item, onChoice) {
  const status = make("div", "ls-outcome");
  status.setAttribute("role", "status");
  const buttons = item.options.map((option, index) =>
    makeButton("ls-option", () => choose(index), make("span", "", option)),
  );
  const options = make("div", "ls-options", ...buttons);
  options.setAttribute("role", "group");
  options.setAttribute("aria-label", item.text);

  /** @param {number} index */
  function choose(index) {
    for (const [option, button] of buttons.entries()) {
      button.disabled = true;
      button.setAttribute("aria-pressed", String(option === index));
      button.classList.toggle("ls-right", option === item.answer);
      if (option === item.answer) button.append(make("small", "", t("right answer")));
    }
    status.append(make("p", "", index === item.answer ? t("Right.") : t("Not this one.")));
    status.append(make("p", "", item.explanation));
    if (item.source) status.append(make("p", "ls-hint", t("Source: {source}", { source: item.source })));
    onChoice?.(status);
  }
  return make("li", "ls-quiz", make("p", "", item.text), options, status);
}

/**
 * @param {HTMLElement} box
 * @param {any} server
 * @param {Lesson} lesson
 */
async function showQuiz(box, server, lesson) {
  const { items = [] } = await server.quiz({ lesson: lesson.id });
  if (!items.length) return;
  const list = make("ol", "ls-recap", ...items.map((/** @type {Item} */ item) => quizItem(item)));
  box.append(make("section", "ls-end", make("h3", "", t("Exit quiz")), list));
}

/**
 * A folded question of an earlier lesson, which the reader may leave folded. Once it is answered, the reader's prediction
 * in that lesson is shown too.
 * @param {HTMLElement} box
 * @param {any} server
 * @param {Lesson | null} lesson null removes the question
 */
export function showRecall(box, server, lesson) {
  const earlier = lesson?.kit?.recall;
  box.replaceChildren();
  if (!earlier) return;
  const question = t("Do you remember? A question from “{title}”", { title: earlier.title });
  const fold = make("details", "ls-recall", make("summary", "", question));
  fold.addEventListener("toggle", () => load().catch(console.error), { once: true });
  box.append(fold);

  async function load() {
    const { guesses } = progressOf(earlier.lesson);
    const { items = [] } = await server.quiz({ lesson: earlier.lesson });
    const item = items.find((/** @type {Item} */ { at }) => guesses[at] !== undefined) ?? items[0];
    if (!item) return;
    const entry = quizItem(item, (status) => addGuess(status, item.at, guesses[item.at]).catch(console.error));
    fold.append(make("ul", "ls-plain", entry));
  }

  /** @type {(status: HTMLElement, name: string, guess: any) => Promise<void>} */
  async function addGuess(status, name, guess) {
    if (guess === undefined) return;
    const { lines = [] } = await server.recap({ lesson: earlier.lesson, names: [name] });
    if (!lines.length) return;
    const texts = textsOf(lines[0], guess);
    const prediction = "difference" in texts ? texts.difference : texts.own;
    status.append(make("p", "ls-hint", t("In that lesson you predicted: {answer}", { answer: prediction })));
  }
}

/**
 * Shows the content of the dock after the last step of a lesson.
 * @param {HTMLElement} box
 * @param {any} server
 * @param {Lesson} lesson
 * @param {number} answered the number of steps whose answers the reader may see
 */
export async function showEnd(box, server, lesson, answered) {
  const [list, quiz] = [make("div"), make("div")];
  const recap = make("section", "ls-end", make("h3", "", t("Your predictions and the right answers")), list);
  box.replaceChildren(recap, quiz);
  if (lesson.kit) box.append(make("p", "ls-hint", t("Homework: {text}", { text: lesson.kit.homework })));
  if (lesson.reading) box.append(make("p", "ls-hint", t("Read next: {text}", { text: lesson.reading })));
  await Promise.all([showRecap(list, server, lesson, answered), showQuiz(quiz, server, lesson)]);
}
