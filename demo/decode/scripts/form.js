// @ts-check
// Compares the form of the first tab with the current result, and marks a result that the form does not ask for.
import { currentResult } from "../../links/scripts/address.js";
import { formOf } from "../../links/scripts/links.js";
import { matchesRequest } from "./recent_results.js";

const VIEW = "#trace .trace-view";

function mark() {
  const view = /** @type {HTMLElement | null} */ (document.querySelector(VIEW));
  const form = formOf("decode");
  const result = currentResult();
  if (!view || !form || !result) return;
  const matches = matchesRequest(form, result.request);
  if (matches) view.dataset.stale = "false";
  else view.dataset.stale = result.isFromFile ? "file" : "true";
  // The card of the next token says what other settings make of the same distribution.
  const isOfText = matchesRequest(form, { ...result.request, settings: {} });
  view.dispatchEvent(new CustomEvent("unrolled:settings", { detail: isOfText && !matches ? form : null }));
}

/** Starts to follow the form and the results. */
export function startForm() {
  document.addEventListener("unrolled:results", mark);
  document.addEventListener("unrolled:gathered", mark);
}
