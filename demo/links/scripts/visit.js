// @ts-check
// Opens the address of the visit when the page loads, and updates it while tabs change.

import { startFirstVisit } from "../../page/scripts/first_visit.js";
import { functionsOf, waitFor } from "../../page/scripts/late_elements.js";
import { recall, remember } from "../../widgets/view/memory.js";
import { t } from "../../widgets/view/translate.js";
import { notice } from "../notice/view.js";
import {
  currentResult,
  currentTabName,
  decodeAddress,
  forgetLeft,
  restoreLeft,
  shownQuery,
  startAddress,
} from "./address.js";
import { currentAddress, reloadAt, stateOf, writeAddress } from "./history.js";
import {
  askAgain,
  askToFill,
  countAnswer,
  isInLesson,
  isOutdated,
  lessonQuery,
  noteOpened,
  openStep,
} from "./lesson_step.js";
import { formOf, freshLink, isSecret, query, setPublicTitles } from "./links.js";
import { encode, withQuery } from "./query.js";
import { hiddenParts, hide, settings } from "./settings.js";

/** @import { CourseStep } from "../../learn/dock/view.js" */
/**
 * @typedef {object} Answer the server's answer to the link, after it has filled in the controls
 * @property {string} tab
 * @property {Record<string, string>} titles of the checkpoints that everybody can open
 * @property {string[]} faults
 * @property {boolean} [fill] whether the tab must be opened first, then filled by a second request
 * @property {boolean} [run] whether to press the button
 * @property {Record<string, any> | null} [view] the view of the result
 * @property {string} [mode] of a comparison
 * @property {CourseStep | null} [lesson] the step that the link opens
 */

const OMITTED_KEY = "unrolled-lost"; // a mark that the reloaded page lacks something
const PAUSE_MILLISECONDS = 200; // browsers refuse frequent changes of the address
const READER_EVENTS = ["pointerdown", "keydown", "input"];
// After these events a tab's form or the view of its result may be another one.
const CHANGES = ["click", "change", "unrolled:gathered", "unrolled:answered", "unrolled:shown"];
/** @type {Record<string, string[]>} the parts that a form must have before it is filled in, by tab */
const DRAWN_FORMS = {
  compare: ["#comparison .compare", "#compare-strategies .sp[data-ready]", "#compare-run-strategies"],
  training: ["#train-begin", "#train-name"],
};
const LINKED = ["decode", "compare", "evaluate", "learn"]; // tabs whose state a link can carry

const visitUrl = new URL(globalThis.location?.href ?? "http://localhost/"); // the address of the visit
let currentTab = "decode"; // the current tab
let settled = false; // the page chooses its tab by itself until then
let opening = ""; // a tab that a link fills and runs
let hasActed = false; // until the reader does something, the address of the visit stays
/** @type {ReturnType<typeof setTimeout> | undefined} */
let following;

/** @param {string} name */
const parameter = (name) => visitUrl.searchParams.get(name) ?? "";

function firstTab() {
  if (parameter("run")) return "training";
  return Object.hasOwn(settings().parameters, parameter("tab")) ? parameter("tab") : "decode";
}

/** Whether a link fills this tab, which then makes no result of its own. @param {string} tab */
export const isOpening = (tab) => opening === tab;

/**
 * Reloads the page with all that was typed and chosen. No address contains a checkpoint of the reader's own training:
 * the browser's history entry carries it, where `restoreLeft` reads it.
 * @param {string} name of a parameter of the page
 * @param {string} value
 */
export async function loadAgain(name, value) {
  const now = currentAddress();
  const link = !isInLesson() && LINKED.includes(currentTab) ? await freshLink(currentTab) : null;
  // A page without a text would have no result. The address now is that of the result.
  const fresh = currentTab === "decode" && !formOf("decode")?.text?.trim() ? null : link;
  const url = new URL(fresh?.href ?? now);
  for (const [key, text] of now.searchParams) if (key.startsWith("__")) url.searchParams.set(key, text);
  url.searchParams.set(name, value);
  const { checkpoint = "", text = "", ...settings } = (fresh && currentTab === "decode" && formOf("decode")) || {};
  if (isSecret(checkpoint)) {
    const isOlder = document.querySelector("#trace [data-stale=true]");
    const view = (!isOlder && currentResult()?.view) || {};
    const state = stateOf({ id: "", request: { checkpoint, text, settings }, view });
    reloadAt(state, withQuery(url.href, query("decode", {}, hiddenParts())));
  } else {
    remember(OMITTED_KEY, Boolean(fresh?.lost), "sessionStorage");
    const isOfForm = fresh && currentTab === "decode" && document.querySelector("#trace [data-stale=true]");
    reloadAt(isOfForm ? null : window.history.state, url.href);
  }
}

/** Shows the result in the view that the link asks for. @param {Answer} answer */
async function restore({ tab, run, view, mode, lesson }) {
  if (tab === "decode") {
    if (lesson && !run) document.dispatchEvent(new CustomEvent("unrolled:left"));
    if (run || view) (await functionsOf("#trace .trace-view")).restore(view ?? {}, run);
    if (run) (await waitFor("#run")).click();
  } else if (tab === "compare" && run) {
    (await functionsOf("#comparison .compare")).restore(view ?? {});
    if (view?.opened) (await functionsOf("#compare-trace .trace-view")).restore(view, true);
    (await waitFor(`#compare-run-${mode}`)).click();
    opening = "";
  } else if (tab === "checkpoints" && view) (await functionsOf("#gallery .gallery")).restore(view);
  else if (tab === "evaluate" && view) {
    (await functionsOf("#evaluation .evaluation")).restore(view);
    opening = "";
  } else if (tab === "learn" && view?.lab) (await functionsOf("#labs .labs")).restore(view);
}

/**
 * Opens the dock, unless it shows this lesson already: then the dock has moved to the step itself, before the answer
 * came, and the reader may have typed something or moved on.
 * @param {CourseStep} step
 */
async function openDock(step) {
  const { open: openAt } = await functionsOf("aside.lesson");
  const { hidden: isClosed, dataset } = /** @type {HTMLElement} */ (document.querySelector("aside.lesson"));
  if (isClosed || dataset.lesson !== step.lesson) openAt(step).catch(console.error);
}

/**
 * Follows the server's answer after the controls were filled in.
 * @param {Answer | null} answer null if the request failed
 */
export async function open(answer) {
  countAnswer();
  if (!answer) return;
  if (isOutdated(answer.lesson)) return askAgain();
  if (!answer.fill && openStep()) return;
  settled = true;
  setPublicTitles(answer.titles);
  const notes = recall(OMITTED_KEY, "sessionStorage")
    ? [t("Not kept: a large picture, or a checkpoint of your own training.")]
    : [];
  remember(OMITTED_KEY, null, "sessionStorage");
  notice([...notes, ...answer.faults]).catch(console.error);
  // The tab stays if the visitor has chosen it by now, or the link of a run has opened it.
  if (answer.lesson && answer.fill) opening = answer.tab; // the tab then makes no result of its own
  const elsewhere = answer.lesson
    ? currentTabName() !== answer.tab
    : answer.tab !== "decode" && currentTab === "decode";
  if (elsewhere) (await waitFor(`[role=tablist] [data-tab-id="${answer.tab}"]`)).click();
  if (answer.lesson && !answer.fill) await openDock(answer.lesson);
  if (answer.tab === "decode") {
    if (answer.lesson) forgetLeft();
    else if (answer.run) answer.view = { ...answer.view, ...forgetLeft() };
    else restoreLeft().catch(console.error);
  }
  if (!answer.fill) return restore(answer);
  await Promise.all([...DRAWN_FORMS[answer.tab]].map((part) => waitFor(part)));
  if (isOutdated(answer.lesson)) opening = "";
  else await askToFill(answer.lesson ?? undefined);
}

/**
 * Sets the address for a tab, so that a reload stays in it. In the first tab it is the address of the visit, or that
 * of the current result.
 * @param {string} tab
 */
export function enter(tab) {
  if (!settled || isInLesson()) return;
  const now = currentAddress();
  const decodeHref = tab === "decode" ? decodeAddress() : null;
  const url = new URL(decodeHref ?? visitUrl);
  if (!decodeHref && tab !== firstTab()) {
    for (const name of [...url.searchParams.keys()])
      if (!name.startsWith("__") && name !== "hide") url.searchParams.delete(name);
    url.searchParams.set("tab", tab);
  }
  for (const name of ["__theme", "__projector"]) {
    const value = now.searchParams.get(name);
    if (value) url.searchParams.set(name, value);
    else if (url.searchParams.has(name)) url.searchParams.delete(name);
  }
  if (url.href !== now.href) writeAddress("replaceState", window.history.state, url.href);
  document.dispatchEvent(new CustomEvent("unrolled:gather", { detail: tab }));
}

/** Writes the form of the current tab and the view of its result to the address; in the first tab the result does. */
function follow() {
  if (!settled || isOpening(currentTab)) return;
  if (!isInLesson() && (currentTab === "decode" || !formOf(currentTab))) return;
  const fresh = isInLesson() ? lessonQuery(shownQuery()) : shownQuery();
  const run = new URL(window.location.href).searchParams.get("run"); // a run that another reader watches, too
  const whole = run && currentTab === "training" ? `run=${encode(run)}&${fresh}` : fresh;
  writeAddress("replaceState", window.history.state, withQuery(window.location.href, whole));
}

// A narrow phone shows only some of the tabs. Scrolling their row, not the page, shows the current one.
function showTab() {
  const tab = /** @type {HTMLElement | null} */ (document.querySelector("#tabs [role=tab][aria-selected=true]"));
  const row = tab?.parentElement;
  if (tab && row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// The tab may be opened by the visitor, by a button of another tab, or by a link.
function followTabs() {
  const tab = currentTabName();
  if (tab && tab !== currentTab) {
    enter(tab);
    showTab();
    document.dispatchEvent(new CustomEvent("unrolled:tab"));
  }
  currentTab = tab ?? currentTab;
}

/** Starts to follow the page. */
export function startVisit() {
  hide(
    parameter("hide")
      .split(",")
      .map((name) => name.trim()),
  );
  startAddress();
  startFirstVisit(visitUrl).catch(console.error);
  const first = firstTab();
  const asks = [...visitUrl.searchParams.keys()].some((name) => settings().parameters[first]?.includes(name));
  if (["compare", "evaluate"].includes(first) && asks) opening = first;
  new MutationObserver(followTabs).observe(document.documentElement, {
    subtree: true,
    attributeFilter: ["aria-selected"],
  });
  const noteAct = (/** @type {Event} */ { isTrusted, target }) => {
    hasActed ||= isTrusted;
    const isInDock = target instanceof Element && target.closest("aside.lesson");
    if (isTrusted && isInLesson() && !isInDock) noteOpened(shownQuery());
  };
  for (const act of READER_EVENTS) document.addEventListener(act, noteAct, { capture: true, passive: true });
  for (const change of CHANGES)
    document.addEventListener(change, () => {
      clearTimeout(following);
      if (hasActed) following = setTimeout(follow, PAUSE_MILLISECONDS);
    });
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target).closest("button");
    const dismissed = /** @type {HTMLElement | null | undefined} */ (button?.closest(".link-notice"));
    if (dismissed) dismissed.hidden = true;
    if (button?.closest(".link-hidden")) hide([]);
  });
}
