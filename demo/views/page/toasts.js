// @ts-check
// Closes Gradio's messages; it relies on their close button only, see `demo/server/gradio_compat.py`.

const CLOSE_ERRORS = '[data-testid="toast-body"].error [data-testid="toast-close"]';

/** Closes the errors of earlier attempts, when a new attempt begins or succeeds. */
export function dismissErrors() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CLOSE_ERRORS))) button.click();
}
