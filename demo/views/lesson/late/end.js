// @ts-check
// What stands in the dock after the last step of a lesson.
import { make } from "../../shared/dom.js";
import { t } from "../../shared/translate.js";
import { showRecap } from "./recap.js";

/** @import { Lesson } from "./dock.js" */

/**
 * @param {HTMLElement} box
 * @param {any} server
 * @param {Lesson} lesson
 */
export function showEnd(box, server, lesson) {
  const recap = make("section", "ls-end");
  const list = make("div");
  recap.append(make("h3", "", t("What you predicted, and what was right")), list);
  box.replaceChildren(recap);
  if (lesson.reading) box.append(make("p", "ls-hint", t("Read next: {text}", { text: lesson.reading })));
  return showRecap(list, server, lesson);
}
