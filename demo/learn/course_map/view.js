// @ts-check
// The course as a map: a button for each lesson with this browser's progress; above them, questions to begin with.

import { askForStep } from "../../links/scripts/lesson_step.js";
import { functionsOf } from "../../page/scripts/late_elements.js";
import { findAll, make, makeButton } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { allProgress } from "../dock/progress.js";

/** @import { Mount } from "../../widgets/view/mount.js" */
/**
 * @typedef {object} Line a lesson of the course, in the reader's language
 * @property {string} id
 * @property {string} chapter
 * @property {string} title
 * @property {string} reading what to read next
 * @property {number} minutes
 * @property {number} steps
 */

/**
 * Opens a question, and moves the dock to it: the server's answer alone moves no dock that shows another question.
 * @param {import("../dock/view.js").CourseStep} target
 */
async function openQuestion(target) {
  await askForStep(target);
  (await functionsOf("aside.lesson")).open(target);
}

/** @type {Mount} */
export function mount(element, _props, _watch, _trigger, server) {
  const [list, questions] = findAll(element, ".co-chapters", ".co-questions");
  /** @type {Line[]} */
  let lines = [];

  /** @param {Line} line */
  function item(line) {
    const { step = 1, done = false } = allProgress()[line.id] ?? {};
    const begun = !done && step > 1;
    const far = begun
      ? t("step {step} of {count}", { step, count: line.steps })
      : t("{count} min", { count: line.minutes });
    const mark = make("span", "co-mark", done ? "✓" : begun ? "…" : "○");
    if (done) mark.setAttribute("aria-label", t("done"));
    const go = () => askForStep({ lesson: line.id, step }).catch(console.error);
    const texts = [make("span", "co-title", line.title), make("span", "co-minutes", far)];
    const button = makeButton("co-lesson", go, mark, ...texts);
    button.dataset.lesson = line.id;
    const entry = make("li", "", button);
    if (done && line.reading) entry.append(make("p", "co-reading", t("Read next: {text}", { text: line.reading })));
    return entry;
  }

  function draw() {
    const chapters = [...new Set(lines.map(({ chapter }) => chapter))];
    list.replaceChildren(
      ...chapters.map((chapter) => {
        const lessons = lines.filter((line) => line.chapter === chapter).map(item);
        return make("li", "co-chapter", make("h3", "", chapter), make("ul", "", ...lessons));
      }),
    );
  }

  /** @type {(question: string, index: number) => HTMLElement} */
  function questionItem(question, at) {
    const go = () => openQuestion({ lesson: "questions", step: at + 1 }).catch(console.error);
    return make("li", "", makeButton("co-lesson", go, make("span", "co-title", question)));
  }

  async function load() {
    const answer = await server.course({});
    lines = answer.lines ?? [];
    const items = (answer.questions ?? []).map(questionItem); // empty ones need a server that is not there
    questions.replaceChildren(...items.filter((/** @type {HTMLElement} */ item) => item.textContent));
    draw();
  }

  document.addEventListener("unrolled:progress", draw);
  load().catch(console.error);
}
