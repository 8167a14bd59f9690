// @ts-check
// Closes Gradio's messages and translates their titles; for the names used see `demo/server/gradio_compat.py`.
import { t } from "../../widgets/view/translate.js";
import { waitFor } from "./late_elements.js";

const CLOSE_ERRORS = '[data-testid="toast-body"].error [data-testid="toast-close"]';
const ERROR_TEXT = '.error [data-testid="toast-text"]';
const NO_RESULT = "#trace .trace-view:not(.tv-filled) > .tv-empty";

/**
 * Titles refusals in the page's language. Gradio titles each “Error”, in English, and ignores the server's title. A
 * refusal stays where the first result would appear, since its message closes by itself.
 */
export async function translateTitles() {
  const list = await waitFor(".toast-wrap");
  new MutationObserver(() => {
    for (const { firstChild: text } of list.querySelectorAll(".error .toast-title"))
      if (text?.nodeValue?.trim() === "Error") text.nodeValue = t("That does not work");
    const [reason, place] = [list.querySelector(ERROR_TEXT), document.querySelector(NO_RESULT)];
    if (reason && place) place.textContent = reason.textContent;
  }).observe(list, { childList: true, subtree: true });
}

/** Closes the errors of earlier attempts, when a new attempt begins or succeeds. */
export function dismissErrors() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CLOSE_ERRORS))) button.click();
}
