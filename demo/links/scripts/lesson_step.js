// @ts-check
// The step of a lesson in the address: `lesson=greedy&step=3` while the page shows what the step has opened, and
// `lesson=greedy:3&` with the whole state of the page when the reader has changed it.
import { functionsOf } from "../../page/scripts/late_elements.js";
import { encode } from "./query.js";
import { hiddenParts } from "./settings.js";

/** @typedef {import("../../learn/dock/view.js").CourseStep} CourseStep */

/** @type {CourseStep | null} */
let current = null;
/** @type {string | null} */
let opened = null; // the page's state before the reader changed anything; null until then

export const isInLesson = () => current !== null;

/** Whether an address carries a changed state of this step. @type {(step: CourseStep, href: string) => boolean} */
export const isChanged = ({ lesson, step }, href) => new URL(href).searchParams.get("lesson") === `${lesson}:${step}`;

/**
 * @param {CourseStep | null} step null when the lesson is left
 * @param {boolean} [opens] whether the step opens a state, rather than leaving the page as the reader has it
 */
export function setStep(step, opens = true) {
  current = step;
  if (opens) opened = null;
}

/**
 * Stores the page's state when the reader first acts on the page; "" if it has been changed already.
 * @param {string} state the query of the page without the lesson
 */
export function noteOpened(state) {
  opened ??= state;
}

/** The query of the current step. @param {string} state the query of the page without the lesson */
export function lessonQuery(state) {
  const { lesson, step, ...others } = /** @type {CourseStep} */ (current);
  const isNew = opened !== null && state !== opened;
  const hidden = hiddenParts().length && !isNew ? { hide: hiddenParts().join(",") } : {};
  const values = isNew ? { lesson: `${lesson}:${step}`, ...others } : { lesson, step, ...others, ...hidden };
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${encode(String(value))}`);
  return [...pairs, ...(isNew ? [state] : [])].join("&");
}

// The step that the reader requested last. Quick readers have several requests at once: answers may come in any order,
// and if two come together Gradio delivers the later one twice.
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
