// @ts-check
// Waits for elements that a tab draws only when it is opened.

const WAIT_SECONDS = 20;
const POLL_MILLISECONDS = 50;

/**
 * @param {string} selector
 * @param {(element: any) => boolean} [isReady]
 * @returns {Promise<any>} the element
 */
export async function waitFor(selector, isReady = () => true) {
  for (const end = Date.now() + 1000 * WAIT_SECONDS; Date.now() < end; ) {
    const element = document.querySelector(selector);
    if (element && isReady(element)) return element;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
  throw new Error(`${selector} is not on the page`);
}

/**
 * The functions that a view offers to the page's script, when the view's own script has run.
 * @type {(selector: string) => Promise<any>}
 */
export const functionsOf = async (selector) =>
  (await waitFor(selector, (element) => Boolean(element.unrolled))).unrolled;
