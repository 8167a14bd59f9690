// @ts-check
// The step of a lesson that the reader requested last. Quick readers have several requests at once: answers may come in
// any order, and if two come together Gradio delivers the later one twice.
import { functionsOf } from "../../page/scripts/late_elements.js";
import { hiddenParts } from "./hide.js";
import { isChanged } from "./lesson_step.js";

/** @import { CourseStep } from "../../learn/dock/view.js" */

/** @type {CourseStep | null} */
let requested = null; // null: the page shows what its address says, or the lesson was left
/** @type {Record<string, any>} */
let values = {}; // its parameters, or those of the address with a state of it that the reader has changed
let isLeft = false; // the lesson was left, so late answers for it are ignored
let isOpened = false; // whether the controls have been filled in for the requested step
let underWay = 1; // unanswered requests; the first is for the page's address

/** @param {CourseStep} step */
export async function askForStep(step) {
  requested = step;
  const { href } = window.location;
  values = { ...(isChanged(step, href) ? Object.fromEntries(new URL(href).searchParams) : step) };
  values.hide = hiddenParts().join(",");
  isLeft = false;
  isOpened = false;
  underWay += 1;
  (await functionsOf(".link-notice")).visit(values);
}

/**
 * Requests the values of the tab that has been opened: for the requested step, else for the visit.
 * @param {CourseStep} [step] of the visit, whose address has become that of the tab unless it has a changed state
 */
export async function askToFill(step) {
  underWay += 1;
  const visit = step && !isChanged(step, window.location.href) ? step : {};
  (await functionsOf(".link-notice")).fill(requested ? values : visit);
}

/** Forgets the step when the reader leaves the lesson. */
export function leaveStep() {
  requested = null;
  isLeft = true;
}

/** Counts a request as answered or failed. */
export function countAnswer() {
  underWay -= 1;
}

/**
 * Whether the reader has since requested another step, or left the lesson.
 * @param {CourseStep | null} [step] of an answer; without a step, the answer is for an address without a lesson
 */
export function isOutdated(step) {
  if (isLeft) return Boolean(step);
  return requested !== null && (requested.lesson !== step?.lesson || requested.step !== step.step);
}

/** Notes that the controls have been filled in for the requested step. Returns whether they had been before. */
export function openStep() {
  const before = isOpened;
  isOpened = true;
  return before;
}

/**
 * Requests the step again after an outdated answer, which may have filled in the controls of the step or replaced its
 * answer, unless the step's own answer is still to come.
 */
export async function askAgain() {
  if (requested && (isOpened || !underWay)) await askForStep(requested);
}
