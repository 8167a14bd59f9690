// @ts-check
// Carries the sentence that was decoded or compared last to the other tab when the reader opens it, unless a link or a
// button of another tab fills that tab.

import { currentResult, currentTabName, leftRequest, restoreLeft } from "../../links/scripts/address.js";
import { functionsOf, waitFor } from "./late_elements.js";

/** @typedef {{ checkpoint: string, text: string }} Sentence */

/** @type {Record<string, string>} */
const SOURCES = { decode: "#source, #picture", compare: "#compare-card .compare-fields, #compare-card .pi" };
const PICTURE = "data:"; // the start of a source that is a picture
const EIGHT_BITS = /@int8$/; // such a checkpoint can only be compared
const sentences = createSentences(Object.keys(SOURCES));
let modeSelector = ""; // selects the mode of the comparison that the carried sentence needs
let carrying = false; // a sentence to the comparison, which then waits for it

/** Whether the comparison is about to receive a sentence. */
export const isCarrying = () => carrying;

/** @param {HTMLElement} view whose result the reader requested */
function noteResult(view) {
  const decoded = view.matches("#trace .trace-view") && currentResult()?.request;
  const compared = view.matches("#comparison .compare") && JSON.parse(view.dataset.request ?? "{}");
  const request = decoded || compared?.sides?.[0] || compared;
  if (!request) return;
  const { checkpoint, text } = request;
  const isLeft = decoded && checkpoint === leftRequest?.checkpoint && text === leftRequest?.text;
  if (!isLeft) sentences.used(decoded ? "decode" : "compare", { checkpoint, text });
}

/** @param {string} tab that the reader opens */
async function carryTo(tab) {
  const sentence = sentences.take(tab);
  if (!sentence) return tab === "decode" ? restoreLeft() : undefined;
  if (tab === "decode") {
    const checkpoint = sentence.checkpoint.replace(EIGHT_BITS, "");
    (await functionsOf("#results .results")).fill({ ...sentence, checkpoint, settings: {}, run: true });
    return;
  }
  carrying = true;
  await bring(sentence);
}

/** @param {{ checkpoint: string, text: string, other_checkpoint?: string }} request to fill the form with */
async function bring(request) {
  modeSelector = request.other_checkpoint ? '[value="checkpoints"]' : "";
  const [view] = await Promise.all([
    functionsOf("#comparison .compare"),
    waitFor("#compare-strategies .sp[data-ready]"),
    waitFor("#compare-run-strategies"),
  ]);
  view.carry(request);
}

/**
 * Compares two checkpoints for a button of another tab, on the sentence that the reader last decoded with one of them.
 * @param {{ checkpoint: string, other_checkpoint: string, text: string }} request its text is used if there is none
 */
export async function compareTwo(request) {
  const { checkpoint, other_checkpoint: other, text } = request;
  const newest = sentences.newest();
  const fits = newest && [checkpoint, other].includes(newest.checkpoint.replace(EIGHT_BITS, ""));
  carrying = true;
  (await waitFor('[role=tablist] [data-tab-id="compare"]')).click();
  await bring({ checkpoint, other_checkpoint: other, text: fits ? newest.text : text });
}

/** Compares the values of the form, whether or not the sentence could be filled in. */
export async function compareCarried() {
  carrying = false;
  const mode = /** @type {HTMLInputElement} */ (await waitFor(`#compare-mode input${modeSelector}:checked`)).value;
  (await waitFor(`#compare-run-${mode}`)).click();
}

/** Starts to follow the results, and which tabs the reader opens. */
export function startCarrying() {
  if (leftRequest) sentences.restored("decode", leftRequest);
  let isFirst = true; // the page shows the first result by itself, unless a link asks for it
  document.addEventListener("unrolled:shown", (event) => {
    const view = /** @type {HTMLElement} */ (event.target);
    if (/** @type {CustomEvent<string>} */ (event).detail !== "result") return;
    if (!isFirst || document.querySelector("#run[aria-busy=true]")) noteResult(view);
    isFirst = false;
  });
  document.addEventListener("input", ({ target }) => {
    for (const [tab, selectors] of Object.entries(SOURCES))
      if (/** @type {Element} */ (target).closest(selectors)) sentences.write(tab);
  });
  document.addEventListener(
    "click",
    ({ target, isTrusted }) => {
      const tab = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("#tabs [role=tab]"));
      const name = tab?.dataset.tabId;
      if (isTrusted && name && name !== currentTabName()) carryTo(name).catch(console.error);
    },
    true, // the capture phase: the other tab is still selected
  );
}

/** @type {(one: Sentence | undefined, other: Sentence) => boolean} */
const same = (one, other) => one?.checkpoint === other.checkpoint && one.text === other.text;

/**
 * Chooses the sentence that a tab takes over from the other one: the reader's latest, once.
 * @param {string[]} tabs that have a sentence; other tabs neither give nor take one
 */
export function createSentences(tabs) {
  /** @type {Record<string, Sentence>} the sentence of each tab */
  const last = {};
  let newest = ""; // the tab of the latest sentence
  /** @type {Record<string, Sentence>} */
  const fromOther = {}; // sentences of other tabs; a slow result of one may follow the reader's next sentence
  const edited = new Set(); // tabs whose text has changed since

  return {
    /** @type {(tab: string, sentence: Sentence) => void} */
    used(tab, sentence) {
      last[tab] = sentence;
      if (edited.has(tab) || !same(fromOther[tab], sentence)) newest = tab;
      edited.delete(tab);
    },
    /** Notes the sentence that a tab shows again after a reload. @type {(tab: string, sentence: Sentence) => void} */
    restored(tab, { checkpoint, text }) {
      last[tab] = { checkpoint, text };
    },
    /** @type {(tab: string) => void} */
    write: (tab) => void edited.add(tab),
    /** The reader's latest sentence in any tab. */
    newest: () => (newest ? last[newest] : null),
    /** @type {(tab: string) => Sentence | null} the sentence for a tab that the reader opens */
    take(tab) {
      const sentence = last[newest];
      if (!tabs.includes(tab)) return null;
      if (!sentence || newest === tab || edited.has(tab)) return null;
      if (same(last[tab], sentence) || sentence.text.startsWith(PICTURE)) return null;
      last[tab] = sentence;
      fromOther[tab] = sentence;
      return sentence;
    },
  };
}
