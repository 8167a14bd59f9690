// @ts-check
// Compares the form of the first tab with the current result, and marks a result that the form does not ask for.
import { resultOnShow } from "../links/address.js";
import { formOf } from "../links/links.js";
import { asksFor } from "./form_match.js";

const VIEW = "#trace .trace-view";

function mark() {
  const view = /** @type {HTMLElement | null} */ (document.querySelector(VIEW));
  const form = formOf("decode");
  const result = resultOnShow();
  if (!view || !form || !result) return;
  if (asksFor(form, result.asked)) view.dataset.stale = "false";
  else view.dataset.stale = result.isFromFile ? "file" : "true";
}

/** Starts to follow the form and the results. */
export function startForm() {
  document.addEventListener("unrolled:results", mark);
  document.addEventListener("unrolled:gathered", mark);
}
