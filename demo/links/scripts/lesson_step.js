// @ts-check
// The step of a lesson in the address: `lesson=greedy&step=3` while the page shows what the step has opened, and
// `lesson=greedy:3&` with the whole state of the page when the reader has changed it.
import { hiddenParts } from "./hide.js";
import { encode } from "./query.js";

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
