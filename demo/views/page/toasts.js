// @ts-check
// Gradio's messages, of which the page knows no more than their close button: `demo/server/gradio_compat.py`.

const CLOSE_ERRORS = '[data-testid="toast-body"].error [data-testid="toast-close"]';

/** A try begins, or has succeeded: what is said of earlier ones leaves. */
export function dismissErrors() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CLOSE_ERRORS))) button.click();
}
