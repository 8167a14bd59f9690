// @ts-check
// Asks for a decoding by one request, which answers what is ready at once. What takes longer, or is refused, goes
// through Gradio's queue, which tells how far it is, or why not; for most decodings that takes longer than they do.
import { offered } from "../there.js";

/**
 * @param {(begun: boolean, failed?: boolean) => void} run to be told of the end of a run
 * @returns {(values: unknown[]) => Promise<void>} decodes what the widgets say
 */
export function createDecoding(run) {
  let latest = 0;
  document.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest("#stop")) latest += 1;
  });

  /** @param {unknown[]} values */
  async function decode(values) {
    latest += 1;
    const asked = latest;
    const view = await offered("#trace .trace-view");
    const answer = await view.atOnce(values).catch(() => null);
    if (asked !== latest) return run(false); // stopped, or another has been asked for since
    if (!answer) return view.queue();
    /** @type {any} */ (document.getElementById("progress"))?.querySelector("[role=status]")?.say(answer.note);
    view.receive(answer.trace);
    run(false);
  }

  return (values) =>
    decode(values).catch((error) => {
      console.error(error);
      run(false, true);
    });
}
