// @ts-check
// Decodes with the values of the form, and reports the progress of what takes long.
import { functionsOf } from "../../page/scripts/late_elements.js";

const VIEW = "#trace .trace-view";

/**
 * @param {(begun: boolean, failed?: boolean) => void} run is called at the end of a run
 * @returns functions to decode with the widgets' values, and to follow the choice of checkpoint
 */
export function createDecoding(run) {
  let checkpoint = /** @type {unknown} */ (""); // the last one that was used or chosen
  document.addEventListener("unrolled:left", () => leave().catch(console.error));

  const progress = () => /** @type {any} */ (document.querySelector("#progress [role=status]"));

  // Cancels the running work, here and on the server, when the reader looks at something else.
  async function leave() {
    const isBusy = document.querySelector("#run[aria-busy=true], #trace .trace-view[data-editing=true]");
    if (!isBusy) return;
    progress()?.say("");
    const view = await functionsOf(VIEW);
    view.leave();
  }

  /** @param {unknown[]} values */
  async function decode(values) {
    [checkpoint] = values;
    const view = await functionsOf(VIEW);
    const answer = await view.decode(values, (/** @type {string} */ text) => progress()?.say(text));
    if (!answer) return run(false); // left, or replaced by a later request
    progress()?.say(answer.note ?? "");
    if (answer.trace) view.receive(answer.trace);
    if (answer.refused) view.refuse(answer.refused);
    run(false, Boolean(answer.refused));
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
