// @ts-check
// The form of the first tab beside the result on show: a result that the form does not ask for is marked.
import { resultOnShow } from "../links/address.js";
import { formOf } from "../links/links.js";
import { asksFor } from "./asks_for.js";

const VIEW = "#trace .trace-view";

function mark() {
  const view = /** @type {HTMLElement | null} */ (document.querySelector(VIEW));
  const form = formOf("decode");
  const result = resultOnShow();
  if (!view || !form || !result) return;
  if (asksFor(form, result.asked)) view.dataset.stale = "false";
  else view.dataset.stale = result.isFromFile ? "file" : "true";
}

/** Begins to follow the form and the results. */
export function startForm() {
  document.addEventListener("unrolled:results", mark);
  document.addEventListener("unrolled:gathered", mark);
}
