// @ts-check
// Whether the form of an evaluation asks for the evaluation on show. Knows no element.

/** @typedef {Record<string, any>} Values by the names of the form's fields */

/** @type {Record<string, string[]>} */
const TEST_SET = { example: [], file: ["file", "columns"], paste: ["pasted", "columns"] }; // by kind: what else describes it

/** @param {any} value of a field; a file is known by its path on the server, columns by what a reader chose */
function comparable(value) {
  if (value?.roles) return JSON.stringify(value.chosen ? value.roles : null);
  return JSON.stringify(value?.path ?? value ?? null);
}

/** @type {(form: Values, request: Values) => boolean} */
export const asksForEvaluation = (form, request) =>
  ["checkpoints", "strategies", "kind", "training", "changes", ...(TEST_SET[form.kind] ?? [])].every(
    (name) => comparable(form[name]) === comparable(request[name]),
  );
