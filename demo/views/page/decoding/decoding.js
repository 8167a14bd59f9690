// @ts-check
// Asks for a decoding by one request, which answers what is ready at once. What takes longer, or is refused, goes
// through Gradio's queue, which tells how far it is, or why not; for most decodings that takes longer than they do.
import { offered } from "../there.js";

const VIEW = "#trace .trace-view";

/**
 * @param {(begun: boolean, failed?: boolean) => void} run to be told of the end of a run
 * @returns what decodes what the widgets say, and what is told of the checkpoint in the picker
 */
export function createDecoding(run) {
  let latest = 0;
  let checkpoint = /** @type {unknown} */ (""); // which was asked, or chosen, last
  document.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest("#stop")) latest += 1;
  });

  document.addEventListener("unrolled:left", () => leave().catch(console.error));

  const progress = () => /** @type {any} */ (document.querySelector("#progress [role=status]"));

  // The reader looks at something else: what is under way is dropped, here and on the server.
  async function leave() {
    latest += 1;
    const isBusy = document.querySelector("#run[aria-busy=true], #trace .trace-view[data-editing=true]");
    if (!isBusy) return;
    progress()?.say("");
    const view = await offered(VIEW);
    view.leaveEdit();
    view.leave();
  }

  /** @param {unknown[]} values */
  async function decode(values) {
    latest += 1;
    const asked = latest;
    [checkpoint] = values;
    const view = await offered(VIEW);
    view.leaveEdit();
    const answer = await view.atOnce(values).catch(() => null);
    if (asked !== latest) return run(false); // stopped, or another has been asked for since
    if (!answer) return view.queue();
    progress()?.say(answer.note);
    view.receive(answer.trace);
    run(false);
  }

  return {
    /** @param {unknown[]} values */
    decode: (values) =>
      decode(values).catch((error) => {
        console.error(error);
        run(false, true);
      }),
    /** @param {unknown} name of the checkpoint that the reader chose; or the page, to ask it */
    choose(name) {
      if (name !== checkpoint) leave().catch(console.error);
      checkpoint = name;
    },
  };
}
