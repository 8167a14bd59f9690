// @ts-check
// Keys and switches of the whole page. Everything that Gradio's own wiring can do is left to it.
import { startGlossary } from "../glossary/glossary.js";
import { copyToClipboard } from "../shared/exports/clipboard.js";
import { t } from "../shared/translate.js";
import { carried, startCarrying } from "./decoding/carry.js";
import { createDecoding } from "./decoding/decoding.js";
import { followRun, startLive } from "./decoding/live.js";
import { introduce } from "./first_visit.js";
import { currentAddress, forgetGiven, writeAddress } from "./links/address.js";
import { gather, query } from "./links/links.js";
import { settings } from "./links/settings.js";
import { enter, here, open, startVisit } from "./links/visit.js";
import { there } from "./there.js";
import { dismissErrors } from "./toasts.js";
import { startUnfolding } from "./unfolding.js";

const SOURCE = "#source, #picture, #strategy-card"; // the controls of the first tab
let runs = 0;
let isTouched = false; // the controls, since the last run began

/** @param {Event} event */
const targetOf = (event) => /** @type {HTMLElement} */ (event.target);

/**
 * Runs may overlap: one that is asked for during another takes its place.
 * @param {boolean} begun whether one begins; else one has ended
 * @param {boolean} [failed]
 */
function run(begun, failed = false) {
  if (failed) forgetGiven();
  if (begun) dismissErrors(); // what was refused is tried anew
  if (begun) isTouched = false;
  else if (isTouched) markStale();
  runs = Math.max(0, runs + (begun ? 1 : -1));
  const button = document.getElementById("run");
  if (!runs && document.activeElement?.id === "stop") button?.focus();
  // While the progress is busy, a screen reader does not read out each of its many changes.
  for (const busy of [button, document.querySelector("#progress [role=status]")])
    busy?.setAttribute("aria-busy", String(runs > 0));
  if (begun || !runs) followRun(begun);
}

async function showAgain() {
  (await there('[role=tablist] [data-tab-id="decode"]')).click();
  await introduce();
}

/** @param {KeyboardEvent} event */
function runByKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  if (!targetOf(event).closest(SOURCE)) return;
  event.preventDefault();
  document.getElementById("run")?.click();
}

/**
 * Gradio opens a list at every key, also at the one that leaves it; and a list that scrolls takes the focus, then goes.
 * @param {KeyboardEvent} event
 */
function leaveList(event) {
  if (event.key !== "Tab" || !targetOf(event).matches("input[role=combobox]")) return;
  event.stopPropagation();
  for (const list of document.querySelectorAll("ul[role=listbox]")) list.setAttribute("tabindex", "-1");
}

/**
 * Gradio names each radio button apart, so the browser does not know that they are one choice.
 * @param {KeyboardEvent} event
 */
function chooseByKey(event) {
  const step = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 })[
    event.key
  ];
  const radio = /** @type {HTMLInputElement} */ (event.target);
  const choice = radio.matches(".segmented input[type=radio]") && radio.closest("fieldset");
  if (!step || !choice) return;
  event.preventDefault();
  const radios = /** @type {HTMLInputElement[]} */ ([...choice.querySelectorAll("input[type=radio]")]);
  const next = radios[(radios.indexOf(radio) + step + radios.length) % radios.length];
  next.focus();
  next.click();
}

function showLanguage() {
  const select = /** @type {HTMLSelectElement | null} */ (document.querySelector(".language select"));
  if (select) [select.value] = document.documentElement.lang.split("-");
  return Boolean(select);
}

/**
 * Remembered by a cookie, which the server reads; the address serves where a frame may keep none.
 * @param {string} code
 */
async function switchLanguage(code) {
  const secure = window.location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser that shows the page has a CookieStore
  document.cookie = `unrolled-lang=${code}; path=/; max-age=31536000${secure}`;
  const url = await here(); // what was typed and chosen comes along
  url.searchParams.set("__lang", code);
  window.location.replace(url);
}

function switchScheme() {
  const dark = document.body.classList.toggle("dark");
  const url = currentAddress();
  url.searchParams.set("__theme", dark ? "dark" : "light");
  writeAddress("replaceState", window.history.state, url.href);
}

// The result stays until the next one is there; that it is older than the controls is said quietly.
function markStale() {
  const view = /** @type {HTMLElement | null} */ (document.querySelector("#trace .trace-view"));
  if (view) view.dataset.stale = "true";
}

/** Begins to listen; what Python calls by name is then there. */
export function start() {
  const { decode, choose } = createDecoding(run);
  Object.assign(globalThis.unrolled, {
    t,
    run,
    decode,
    choose,
    open,
    gather,
    copy: copyToClipboard,
    query,
    here,
    enter,
    carried,
  });
  startVisit();
  startCarrying();
  startLive();
  startUnfolding();
  startGlossary(settings().glossary);
  document.addEventListener("unrolled:answered", dismissErrors);
  document.addEventListener("unrolled:introduce", () => showAgain().catch(console.error));
  document.addEventListener("keydown", runByKey, true);
  document.addEventListener("keydown", leaveList, true);
  document.addEventListener("keydown", chooseByKey);
  const header = new MutationObserver(() => {
    if (showLanguage()) header.disconnect();
  });
  if (!showLanguage()) header.observe(document.documentElement, { childList: true, subtree: true });
  document.addEventListener("change", ({ target }) => {
    const select = /** @type {HTMLSelectElement} */ (target);
    if (select.matches(".language select")) switchLanguage(select.value).catch(console.error);
  });
  document.addEventListener("click", (event) => {
    if (targetOf(event).closest(".scheme")) switchScheme();
  });
  // Not `change`, which a text sends when the focus leaves it, long after it was decoded.
  document.addEventListener("input", (event) => {
    if (!targetOf(event).closest(SOURCE)) return;
    isTouched = true;
    markStale();
  });
  document.addEventListener("unrolled:left", () => {
    isTouched = false;
  });
}
