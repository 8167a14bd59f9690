// @ts-check
// The worker: answers the calls of engine.js.

import { Computing } from "./computing.js";
import { startPython } from "./files.js";

const page = /** @type {any} */ (self);
/** @type {Computing} */
let computing;

/** @type {(call: string, values: any) => any} */
function answer(call, values) {
  if (call !== "begin") return /** @type {any} */ (computing)[call](values);
  const report = (/** @type {any} */ progress) => page.postMessage({ progress });
  computing = new Computing({ ...values, report, startPython });
}

page.onmessage = async (/** @type {MessageEvent} */ { data: { id, call, values } }) => {
  try {
    page.postMessage({ id, value: await answer(call, values) });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    page.postMessage({ id, error: { name, message } });
  }
};
