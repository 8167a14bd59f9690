// @ts-check
// Fills answers of the server into controls, except for those that the reader has changed since the question was sent.

/** @typedef {{ number: number | null, values: any[] }} Answer the number of its question, and a value for each control */
/** @typedef {Map<number, any>} Values by the ids of Gradio's components */

const UNCHANGED = { __type__: "update" };

/** @type {Map<number, Values>} the controls' values when each open question was sent, by its number */
const questions = new Map();
let count = 0;
let whenFilled = () => {}; // called when no question is open any longer

/** @type {(one: any, other: any) => boolean} */
const isSame = (one, other) => JSON.stringify(one ?? "") === JSON.stringify(other ?? "");

/**
 * Remembers the values of controls when a question is sent.
 * @param {number[]} ids of the controls
 * @param {number} inputs number of the question's own values, which come first
 * @param {any[]} values of the question, then of the controls
 * @returns {any[]} the values to send: the question's own, and its number in place of the others
 */
export function sendQuestion(ids, inputs, values) {
  count += 1;
  questions.set(count, new Map(ids.map((id, index) => [id, values[inputs + index]])));
  return [...values.slice(0, inputs), count, ...ids.slice(1).map(() => null)];
}

/** Whether controls will soon be filled in. */
export const hasOpenQuestions = () => questions.size > 0;

/** @param {() => void} action to take whenever the last open question has been answered */
export function onFilled(action) {
  whenFilled = action;
}

/** @param {number} number of a question that has been answered */
function close(number) {
  questions.delete(number);
  if (!questions.size) whenFilled();
}

/** Forgets the oldest question about these controls, which failed. @param {number[]} ids */
export function forgetQuestion(ids) {
  for (const [number, before] of questions) if (ids.every((id) => before.has(id))) return close(number);
}

/**
 * The values for the controls of an answer.
 * @param {number[]} ids of the controls: those to fill in, and perhaps `mustBeUnchanged`
 * @param {number | null} mustBeUnchanged the control that must be as it was, or else all stay
 * @param {Answer} answer
 * @param {any[]} now values of the controls
 */
export function fillIn(ids, mustBeUnchanged, { number, values }, now) {
  const before = questions.get(number ?? 0);
  close(number ?? 0);
  const isKept = ids.map((id, index) => before !== undefined && !isSame(before.get(id), now[index]));
  const isOutdated = mustBeUnchanged !== null && isKept[ids.indexOf(mustBeUnchanged)];
  return values.map((value, index) => {
    if (isOutdated || isKept[index]) return UNCHANGED;
    noteFilled(number ?? 0, ids[index], value);
    return withoutSame(value, now[index]);
  });
}

/**
 * A value without what the control has already: Gradio writes values a moment later, when the reader may have changed
 * the control.
 * @param {any} value
 * @param {any} now the value of the control
 */
function withoutSame(value, now) {
  if (value?.__type__ !== "update") return isSame(value, now) ? UNCHANGED : value;
  const { value: written, ...rest } = value;
  return isSame(written, now) ? rest : value;
}

/**
 * Remembers a value that an answer fills in, for later questions: their answers may replace it. For earlier ones it
 * counts as a change.
 * @param {number} number of the answer's question
 * @param {number} id
 * @param {any} value
 */
function noteFilled(number, id, value) {
  const isUpdate = value?.__type__ === "update";
  if (isUpdate && !("value" in value)) return;
  for (const [later, before] of questions)
    if (later > number && before.has(id)) before.set(id, isUpdate ? value.value : value);
}
