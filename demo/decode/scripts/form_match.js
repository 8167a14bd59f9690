// @ts-check
// Compares a form with a result's request.

/** @type {(one: any, other: any) => boolean} */
export const isSame = (one, other) => String(one ?? "").trim() === String(other ?? "").trim();

/**
 * Only the settings in the result's request count; others do not apply to its strategy.
 * @type {(form: Record<string, any>, request: import("./recent_results.js").ResultRequest) => boolean}
 */
export const matchesRequest = (form, { checkpoint, text, settings }) =>
  Object.entries({ checkpoint, text, ...settings }).every(([name, value]) => isSame(form[name], value));
