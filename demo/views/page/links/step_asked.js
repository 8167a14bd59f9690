// @ts-check
// The step of a lesson that the reader asked for last. Who steps on quickly has several under way at once: answers may
// come in any order, and of two that come together Gradio hands on the later one twice.
import { offered } from "../there.js";
import { hidden } from "./hide.js";

/** @import { CourseStep } from "../../lesson/view.js" */

/** @type {CourseStep | null} */
let asked = null; // nothing: the page shows what its address says, or the lesson was left
let isLeft = false; // what is still under way for a lesson that was left opens nothing
let isOpened = false; // whether the controls have been filled in for that step
let underWay = 1; // questions that are still to be answered; the first is what the address says

/** @param {CourseStep} step */
export async function askForStep(step) {
  asked = step;
  isLeft = false;
  isOpened = false;
  underWay += 1;
  (await offered(".link-notice")).visit({ ...step, hide: hidden().join(",") });
}

/** @param {CourseStep} [step] whose tab has been opened; nothing: what the address names */
export async function askToFill(step) {
  underWay += 1;
  (await offered(".link-notice")).fill(step ?? {});
}

/** The reader leaves the lesson. */
export function leaveStep() {
  asked = null;
  isLeft = true;
}

/** A question has been answered, or could not be. */
export function answered() {
  underWay -= 1;
}

/**
 * Whether the reader has asked for another step since, or left the lesson.
 * @param {CourseStep | null} [step] what an answer is about; nothing: an address without a lesson
 */
export function isOutdated(step) {
  if (isLeft) return Boolean(step);
  return asked !== null && (asked.lesson !== step?.lesson || asked.step !== step.step);
}

/** The controls have been filled in for the step asked for. Returns whether they had been before. */
export function openStep() {
  const before = isOpened;
  isOpened = true;
  return before;
}

/**
 * After an outdated answer: it may have filled in the controls of the step asked for, or its answer took the place of
 * that one's. Unless this is still to come, the step is asked for again.
 */
export async function askAgain() {
  if (asked && (isOpened || !underWay)) await askForStep(asked);
}
