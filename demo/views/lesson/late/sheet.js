// @ts-check
// A lesson for printing: its questions with space for predictions, without the answers.
import { make } from "../../shared/dom.js";
import { t } from "../../shared/translate.js";

/** @import { Lesson, Step } from "./dock.js" */

const BLANK = "……………";

/** @param {Step} step */
function question({ text, prediction }) {
  const item = make("li");
  item.append(make("p", "", text.replace(/\{[^}]*\}/g, BLANK)));
  if (!prediction) return item;
  const lines = prediction.options.length ? prediction.options.map((option) => `☐ ${option}`) : [`${BLANK}${BLANK}`];
  item.append(...lines.map((line) => make("p", "ls-line", line)));
  return item;
}

/**
 * Opens the browser's print dialog.
 * @param {Lesson} lesson
 */
export function printSheet(lesson) {
  const sheet = make("section", "lesson-sheet");
  const list = make("ol");
  list.append(...lesson.steps.map(question));
  const url = new URL(window.location.href);
  url.search = new URLSearchParams({ lesson: lesson.id }).toString();
  sheet.append(
    make("h1", "", lesson.title),
    make("p", "", t("{count} min", { count: lesson.minutes })),
    make("p", "", url.href),
    list,
  );
  if (lesson.reading) sheet.append(make("p", "", t("Read next: {text}", { text: lesson.reading })));
  document.body.append(sheet);
  window.addEventListener("afterprint", () => sheet.remove(), { once: true });
  window.print();
}
