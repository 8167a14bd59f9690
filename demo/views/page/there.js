// @ts-check
// Waits for what a tab draws only once it is opened.

const WAIT_SECONDS = 20;
const POLL_MILLISECONDS = 50;

/**
 * @param {string} selector
 * @param {(found: any) => boolean} [isReady]
 * @returns {Promise<any>} the element
 */
export async function there(selector, isReady = () => true) {
  for (const end = Date.now() + 1000 * WAIT_SECONDS; Date.now() < end; ) {
    const found = document.querySelector(selector);
    if (found && isReady(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
  throw new Error(`${selector} is not on the page`);
}

/**
 * What a view offers to the page's script, once its own script runs.
 * @param {string} selector
 * @returns {Promise<any>}
 */
export const offered = async (selector) => (await there(selector, (found) => Boolean(found.unrolled))).unrolled;
