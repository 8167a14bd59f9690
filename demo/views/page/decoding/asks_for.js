// @ts-check
// Whether a form asks for a result. Knows no element.

/** @type {(one: any, other: any) => boolean} */
export const isSame = (one, other) => String(one ?? "").trim() === String(other ?? "").trim();

/**
 * Settings that do not apply to the strategy of the result do not count.
 * @type {(form: Record<string, any>, asked: import("./kept_results.js").Asked) => boolean}
 */
export const asksFor = (form, { checkpoint, text, settings }) =>
  Object.entries({ checkpoint, text, ...settings }).every(([name, value]) => isSame(form[name], value));
