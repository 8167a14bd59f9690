// @ts-check
// What was decoded or compared last stands in the other tab when the reader opens that. What a link, or a button of
// another tab, wants to be shown there is not replaced.
import { resultOnShow, tabOnShow } from "../links/address.js";
import { offered, there } from "../there.js";
import { createSentences } from "./sentences.js";

/** @type {Record<string, string>} */
const WRITTEN = { decode: "#source, #picture", compare: "#compare-card .compare-fields, #compare-card .pi" };
const EIGHT_BITS = /@int8$/; // such a checkpoint is only compared
const sentences = createSentences(Object.keys(WRITTEN));
let chosen = ""; // the mode that what is carried needs, as a selector
let carrying = false; // to the comparison, which then waits for it

/** Whether the comparison is about to get a sentence. */
export const isCarrying = () => carrying;

/** @param {HTMLElement} view with a result that the reader asked for */
function noteResult(view) {
  const decoded = view.matches("#trace .trace-view") && resultOnShow()?.asked;
  const compared = view.matches("#comparison .compare") && JSON.parse(view.dataset.request ?? "{}");
  const asked = decoded || compared?.sides?.[0] || compared;
  if (asked) sentences.asked(decoded ? "decode" : "compare", { checkpoint: asked.checkpoint, text: asked.text });
}

/** @param {string} tab that the reader opens */
async function carryTo(tab) {
  const sentence = sentences.take(tab);
  if (!sentence) return;
  if (tab === "decode") {
    const checkpoint = sentence.checkpoint.replace(EIGHT_BITS, "");
    (await offered("#results .results")).fill({ ...sentence, checkpoint, settings: {}, run: true });
    return;
  }
  carrying = true;
  await bring(sentence);
}

/** @param {{ checkpoint: string, text: string, other_checkpoint?: string }} asked what the form has to say */
async function bring(asked) {
  chosen = asked.other_checkpoint ? '[value="checkpoints"]' : "";
  const [view] = await Promise.all([
    offered("#comparison .compare"),
    there("#compare-strategies .sp[data-ready]"),
    there("#compare-run-strategies"),
  ]);
  view.carry(asked);
}

/**
 * What another tab wants to be compared: two checkpoints, on the sentence that the reader asked last of one of them.
 * @param {{ checkpoint: string, other_checkpoint: string, text: string }} asked with the text if there is none
 */
export async function compareTwo(asked) {
  const { checkpoint, other_checkpoint: other, text } = asked;
  const newest = sentences.newest();
  const fits = newest && [checkpoint, other].includes(newest.checkpoint.replace(EIGHT_BITS, ""));
  carrying = true;
  (await there('[role=tablist] [data-tab-id="compare"]')).click();
  await bring({ checkpoint, other_checkpoint: other, text: fits ? newest.text : text });
}

/** The form of the comparison says the sentence now, or could not: what it says is compared. */
export async function carried() {
  carrying = false;
  const mode = /** @type {HTMLInputElement} */ (await there(`#compare-mode input${chosen}:checked`)).value;
  (await there(`#compare-run-${mode}`)).click();
}

/** Begins to follow what is asked for, and who opens which tab. */
export function startCarrying() {
  let isFirst = true; // which the page shows by itself, unless a link asked for it
  document.addEventListener("unrolled:shown", (event) => {
    const view = /** @type {HTMLElement} */ (event.target);
    if (/** @type {CustomEvent<string>} */ (event).detail !== "result") return;
    if (!isFirst || document.querySelector("#run[aria-busy=true]")) noteResult(view);
    isFirst = false;
  });
  document.addEventListener("input", ({ target }) => {
    for (const [tab, places] of Object.entries(WRITTEN))
      if (/** @type {Element} */ (target).closest(places)) sentences.write(tab);
  });
  document.addEventListener(
    "click",
    ({ target, isTrusted }) => {
      const tab = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("#tabs [role=tab]"));
      const name = tab?.dataset.tabId;
      if (isTrusted && name && name !== tabOnShow()) carryTo(name).catch(console.error);
    },
    true, // before it is the tab on show
  );
}
