// @ts-check
// A lesson for printing: its questions with their numbers and space for predictions; for the teacher with the answers.
import { make } from "../../../shared/dom.js";
import { t } from "../../../shared/translate.js";
import { answerGrid, emptyGrid } from "./sheet_grid.js";

/** @import { Lesson } from "../lesson.js" */
/** @import { Prediction } from "../predictions/predictions.js" */

/**
 * @typedef {object} PrintedStep
 * @property {string} text with its numbers
 * @property {{ caption: string, text?: string, picture?: string }[]} given what the question is about
 * @property {Prediction} [prediction]
 * @property {any} [answer] with `shown` and `outcome` on the teacher's sheet
 * @property {any} [shown]
 * @property {string} [outcome]
 */

const BLANK = "……………";
const PICTURE = /^data:image\/(?:png|jpeg|webp|gif);base64,[\w+/=]+$/;

/** @param {PrintedStep["given"][number]} given */
function givenLine({ caption, text, picture }) {
  const line = make("p", "ls-given", `${caption}: `);
  if (picture !== undefined && PICTURE.test(picture)) {
    const image = make("img");
    Object.assign(image, { src: picture, alt: caption });
    line.append(image);
  } else if (text !== undefined) {
    const words = make("span", "", text);
    words.dir = "auto";
    line.append(words);
  }
  return line;
}

/** @param {PrintedStep} step */
function space(step) {
  const { prediction, answer } = step;
  if (!prediction) return [];
  const { kind, options } = prediction;
  const isAnswered = answer !== undefined;
  if (kind === "draw") return [isAnswered ? answerGrid(prediction, answer) : emptyGrid(prediction)];
  if (kind === "choose")
    return options.map((option, index) => make("p", "ls-line", `${index === answer ? "☒" : "☐"} ${option}`));
  if (kind === "order") {
    const lines = (isAnswered ? answer : options.map((_, index) => index)).map(
      (/** @type {number} */ index, /** @type {number} */ rank) =>
        isAnswered ? `${rank + 1}. ${options[index]} (${step.shown[rank]})` : `____ ${options[index]}`,
    );
    return lines.map((/** @type {string} */ line) => make("p", "ls-line", line));
  }
  const answerText = kind === "type" ? answer?.columns[0] : step.shown; // the most probable of typed words
  return [make("p", "ls-line", isAnswered ? answerText : `${BLANK}${BLANK}`)];
}

/**
 * Consecutive questions about the same thing print it once.
 * @param {PrintedStep} step
 * @param {PrintedStep | undefined} before
 */
function question(step, before) {
  const item = make("li");
  const isSame = JSON.stringify(step.given) === JSON.stringify(before?.given);
  item.append(make("p", "", step.text), ...(isSame ? [] : step.given.map(givenLine)), ...space(step));
  if (step.outcome) item.append(make("p", "ls-given", step.outcome));
  return item;
}

/**
 * @param {Lesson} lesson
 * @param {PrintedStep[]} steps
 * @param {boolean} withAnswers
 */
function makeSheet(lesson, steps, withAnswers) {
  const sheet = make("section", "lesson-sheet");
  const list = make("ol");
  list.append(...steps.map((step, index) => question(step, steps[index - 1])));
  const url = new URL(window.location.href);
  url.search = new URLSearchParams({ lesson: lesson.id }).toString();
  sheet.append(make("h1", "", lesson.title), make("p", "", t("{count} min", { count: lesson.minutes })));
  sheet.append(make("p", "", url.href));
  const { kit } = lesson;
  if (withAnswers && kit)
    sheet.append(
      make("p", "", t("Goal: {text}", { text: kit.goal })),
      make("p", "", t("A misconception: {text}", { text: kit.misconception })),
    );
  sheet.append(list);
  if (kit) sheet.append(make("p", "", t("Homework: {text}", { text: kit.homework })));
  if (lesson.reading) sheet.append(make("p", "", t("Read next: {text}", { text: lesson.reading })));
  return sheet;
}

/**
 * Opens the browser's print dialog.
 * @param {any} server
 * @param {Lesson} lesson
 * @param {boolean} withAnswers
 */
export async function printSheet(server, lesson, withAnswers) {
  const { steps } = await server.sheet({ lesson: lesson.id, answers: withAnswers });
  if (!steps) return;
  const sheet = makeSheet(lesson, steps, withAnswers);
  document.body.append(sheet);
  window.addEventListener("afterprint", () => sheet.remove(), { once: true });
  window.print();
}
