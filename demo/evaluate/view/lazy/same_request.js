// @ts-check
// The comparison of the form with the request of the current evaluation.

/** @typedef {Record<string, any>} Values by the names of the form's fields */

/** @type {Record<string, string[]>} */
const TEST_SET = { example: [], file: ["file", "columns"], paste: ["pasted", "columns"] }; // further fields by kind

/** @param {any} value of a field; files are compared by their paths on the server, columns by their roles */
function comparable(value) {
  if (value?.roles) return JSON.stringify(value.chosen ? value.roles : null);
  return JSON.stringify(value?.path ?? value ?? null);
}

/** @type {(form: Values, request: Values) => boolean} */
export const matchesEvaluation = (form, request) =>
  ["checkpoints", "strategies", "kind", "training", "changes", ...(TEST_SET[form.kind] ?? [])].every(
    (name) => comparable(form[name]) === comparable(request[name]),
  );
