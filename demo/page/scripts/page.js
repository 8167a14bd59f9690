// @ts-check
// Keys and switches of the whole page; Gradio's own wiring does everything that it can.

import { createDecoding } from "../../decode/scripts/decoding.js";
import { followRun, startForm, startLive } from "../../decode/scripts/live.js";
import { forgetVisitorAddress } from "../../links/scripts/address.js";
import { currentAddress, writeAddress } from "../../links/scripts/history.js";
import { changedFields, gather, leftField, query } from "../../links/scripts/links.js";
import { settings } from "../../links/scripts/settings.js";
import { enter, loadAgain, open, startVisit } from "../../links/scripts/visit.js";
import { copyToClipboard } from "../../widgets/exports/copying.js";
import { startGlossary } from "../../widgets/glossary/glossary.js";
import { elementOf, isEnter } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { compareCarried, compareTwo, startCarrying } from "./carry.js";
import { startConfirmations } from "./confirmation.js";
import { introduce } from "./first_visit.js";
import { startPhoneFolds, startUnfolding } from "./folds.js";
import { startKeys } from "./keys.js";
import { fillIn, forgetQuestion, sendQuestion } from "./late_answers.js";
import { waitFor } from "./late_elements.js";

const SOURCE = "#source, #picture, #strategy-card"; // the controls of the first tab
// Gradio's messages; for the names used see `demo/server/gradio_compat.py`.
const CLOSE_ERRORS = '[data-testid="toast-body"].error [data-testid="toast-close"]';
const ERROR_TEXT = '.error [data-testid="toast-text"]';
const NO_RESULT = "#trace .trace-view:not(.tv-filled) > .tv-empty";
let runs = 0;

/**
 * Titles refusals in the page's language. Gradio titles each “Error”, in English, and ignores the server's title. A
 * refusal stays where the first result would appear, since its message closes by itself.
 */
export async function translateTitles() {
  const list = await waitFor(".toast-wrap");
  new MutationObserver(() => {
    for (const { firstChild: text } of list.querySelectorAll(".error .toast-title"))
      if (text?.nodeValue?.trim() === "Error") text.nodeValue = t("That does not work");
    const [reason, place] = [list.querySelector(ERROR_TEXT), document.querySelector(NO_RESULT)];
    if (reason && place) place.textContent = reason.textContent;
  }).observe(list, { childList: true, subtree: true });
}

/** Closes the errors of earlier attempts, when a new attempt begins or succeeds. */
export function dismissErrors() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CLOSE_ERRORS))) button.click();
}

/**
 * Runs may overlap: a run that starts during another replaces it.
 * @param {boolean} begun whether a run begins; else one has ended
 * @param {boolean} [failed]
 */
function run(begun, failed = false) {
  if (failed) forgetVisitorAddress();
  if (begun) dismissErrors(); // they belong to earlier runs
  runs = Math.max(0, runs + (begun ? 1 : -1));
  const button = document.getElementById("run");
  if (!runs && document.activeElement?.id === "stop") button?.focus();
  // While the progress is busy, screen readers do not announce each of its many changes.
  for (const busy of [button, document.querySelector("#progress [role=status]")])
    busy?.setAttribute("aria-busy", String(runs > 0));
  if (begun || !runs) followRun(begun);
}

async function showAgain() {
  (await waitFor('[role=tablist] [data-tab-id="decode"]')).click();
  await introduce();
}

/** @param {KeyboardEvent} event */
function runByKey(event) {
  if (!isEnter(event) || !(event.ctrlKey || event.metaKey)) return;
  if (!elementOf(event).closest(SOURCE)) return;
  event.preventDefault();
  document.getElementById("run")?.click();
}

function showLanguage() {
  const select = /** @type {HTMLSelectElement | null} */ (document.querySelector(".language select"));
  if (select) [select.value] = document.documentElement.lang.split("-");
  return Boolean(select);
}

/**
 * Switches the language by a cookie, which the server reads, and by the address, for a frame without cookies.
 * @param {string} code
 */
async function switchLanguage(code) {
  const secure = window.location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser that shows the page has a CookieStore
  document.cookie = `unrolled-lang=${code}; path=/; max-age=31536000${secure}`;
  await loadAgain("__lang", code);
}

/** @param {Event} event of the link that skips the header and the tabs */
async function skip(event) {
  event.preventDefault();
  (await waitFor('[role=tablist] [data-tab-id="decode"]')).click();
  const isVisible = (/** @type {HTMLElement} */ element) => element.checkVisibility();
  const targets = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#source textarea, #run"));
  [...targets].find(isVisible)?.focus(); // a checkpoint that reads pictures has no text
}

function switchScheme() {
  const dark = document.body.classList.toggle("dark");
  keepInAddress("__theme", dark ? "dark" : "light");
}

/** @param {boolean} fills whether a view fills the screen, also after a reload */
function noteProjector(fills) {
  document.documentElement.toggleAttribute("data-projector", fills);
  keepInAddress("__projector", fills ? "1" : "");
}

/** @param {string} name of a parameter that holds for all tabs @param {string} value nothing removes it */
function keepInAddress(name, value) {
  const url = currentAddress();
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  writeAddress("replaceState", window.history.state, url.href);
}

/** Starts the page's scripts, and publishes the functions that Python calls by name. */
export function start() {
  const { decode, choose } = createDecoding(run);
  Object.assign(globalThis.unrolled, {
    t,
    run,
    decode,
    choose,
    open,
    sendQuestion,
    forgetQuestion,
    fillIn,
    gather,
    changedFields,
    leftField,
    copy: copyToClipboard,
    query,
    enter,
    compareCarried,
    compareTwo,
  });
  startVisit();
  startConfirmations();
  startCarrying();
  startLive();
  startForm();
  startUnfolding();
  startPhoneFolds();
  startGlossary(settings().glossary);
  document.addEventListener("unrolled:answered", dismissErrors);
  document.addEventListener("unrolled:introduce", () => showAgain().catch(console.error));
  document.addEventListener("unrolled:projector", (event) =>
    noteProjector(/** @type {CustomEvent<boolean>} */ (event).detail),
  );
  document.addEventListener("keydown", runByKey, true);
  startKeys();
  const header = new MutationObserver(() => {
    if (showLanguage()) header.disconnect();
  });
  if (!showLanguage()) header.observe(document.documentElement, { childList: true, subtree: true });
  document.addEventListener("change", ({ target }) => {
    const select = /** @type {HTMLSelectElement} */ (target);
    if (select.matches(".language select")) switchLanguage(select.value).catch(console.error);
  });
  document.addEventListener("click", (event) => {
    if (elementOf(event).closest(".scheme")) switchScheme();
    if (elementOf(event).closest(".skip-link")) skip(event).catch(console.error);
  });
}
