// @ts-check
// Decodes by a single request, for what is ready at once. Longer or refused decodings go through Gradio's queue, which
// reports progress and errors; for most decodings the queue would take longer than the decoding.
import { functionsOf } from "../late_elements.js";

const VIEW = "#trace .trace-view";

/**
 * @param {(begun: boolean, failed?: boolean) => void} run is called at the end of a run
 * @returns functions to decode with the widgets' values, and to follow the choice of checkpoint
 */
export function createDecoding(run) {
  let latest = 0;
  let checkpoint = /** @type {unknown} */ (""); // the last one that was used or chosen
  document.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest("#stop")) latest += 1;
  });

  document.addEventListener("unrolled:left", () => leave().catch(console.error));

  const progress = () => /** @type {any} */ (document.querySelector("#progress [role=status]"));

  // Cancels the running work, here and on the server, when the reader looks at something else.
  async function leave() {
    latest += 1;
    const isBusy = document.querySelector("#run[aria-busy=true], #trace .trace-view[data-editing=true]");
    if (!isBusy) return;
    progress()?.say("");
    const view = await functionsOf(VIEW);
    view.leaveEdit();
    view.leave();
  }

  /** @param {unknown[]} values */
  async function decode(values) {
    latest += 1;
    const turn = latest;
    [checkpoint] = values;
    const view = await functionsOf(VIEW);
    view.leaveEdit();
    const answer = await view.atOnce(values).catch(() => null);
    if (turn !== latest) return run(false); // stopped, or replaced by a later request
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
    /** @param {unknown} name of the checkpoint that the reader, or the page, chose */
    choose(name) {
      if (name !== checkpoint) leave().catch(console.error);
      checkpoint = name;
    },
  };
}
