// @ts-check
// The content of the dock after the last step of a lesson.
import { make } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";
import { showQuiz } from "./quiz.js";
import { showRecap } from "./recap.js";

/** @import { Lesson } from "./lesson.js" */

/**
 * @param {HTMLElement} box
 * @param {any} server
 * @param {Lesson} lesson
 * @param {number} answered the number of steps whose answers the reader may see
 */
export async function showEnd(box, server, lesson, answered) {
  const recap = make("section", "ls-end");
  const list = make("div");
  const quiz = make("div");
  recap.append(make("h3", "", t("Your predictions and the right answers")), list);
  box.replaceChildren(recap, quiz);
  if (lesson.kit) box.append(make("p", "ls-hint", t("Homework: {text}", { text: lesson.kit.homework })));
  if (lesson.reading) box.append(make("p", "ls-hint", t("Read next: {text}", { text: lesson.reading })));
  await Promise.all([showRecap(list, server, lesson, answered), showQuiz(quiz, server, lesson)]);
}
