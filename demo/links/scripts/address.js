// @ts-check
// Keeps the address in step with the current result, so that Back goes through the last ones. The address of the visit
// stays until the reader requests something or changes the view.

import {
  storedResults,
  storeResults,
  withDraft,
  withoutRepeats,
  withResult,
} from "../../decode/scripts/recent_results.js";
import { isIntroducing } from "../../page/scripts/first_visit.js";
import { functionsOf, waitFor } from "../../page/scripts/late_elements.js";
import { afterNextFrame, dropUnwritten, entryOf, notifyHub, stateOf, writeAddress } from "./history.js";
import { isChanged, isInLesson, lessonQuery, noteOpened, setStep } from "./lesson_step.js";
import { formOf, link, query, withoutLost } from "./links.js";
import { withQuery } from "./query.js";
import { hiddenParts } from "./settings.js";

/** @import { Result, ResultRequest } from "../../decode/scripts/recent_results.js" */
/** @import { CourseStep } from "../../learn/dock/view.js" */
/** @import { Entry } from "./history.js" */

const VIEW = "#trace .trace-view";

/** @type {Result[]} */
let results = storedResults();
/** @type {Result | null} */
let current = null;
let isVisitorAddress = true; // the address came from elsewhere, and the next result belongs to it
let currentEntry = ""; // query of the current result, and the edits that no query carries
/** @type {string | null} */
let address = null; // address of the Decode tab, when it is no longer the visit's
const leftResult = entryOf(globalThis.history?.state); // the result that was shown when the page was left
let isLeftOut = Boolean(leftResult); // until it is shown again, or another result is
let isReturning = false; // it has been requested

export const recentResults = () => results;
export const currentResult = () => current;
export const decodeAddress = () => address;

/** The current tab, by its name. */
export const currentTabName = () =>
  /** @type {HTMLElement | null} */ (document.querySelector("#tabs [role=tab][aria-selected=true]"))?.dataset.tabId;

/** @returns {any} the trace view of the tab */
const traceView = () => document.querySelector(VIEW);

/** @param {{ request: ResultRequest, view: Record<string, any> }} result */
function queryOf({ request, view }) {
  const values = { checkpoint: request.checkpoint, text: request.text, ...request.settings, ...view };
  withoutLost(values);
  // Another checkpoint would do something else with the text.
  return query("decode", values.checkpoint ? values : {}, hiddenParts());
}

/** @param {Result} result */
const entryText = (result) => queryOf(result) + JSON.stringify(result.view.stored ?? null);

/** @type {(method: "pushState" | "replaceState", result: Result) => void} */
function write(method, result) {
  currentEntry = entryText(result);
  address = withQuery(window.location.href, queryOf(result));
  if (isInLesson()) return;
  if (currentTabName() === "decode") writeAddress(method, stateOf(result), address);
  else writeAddress("replaceState", stateOf(result), window.location.href); // a reload brings the result back
}

// A random name: results of earlier loads of the page are in the browser's history too.
const newId = () => crypto.getRandomValues(new Uint32Array(2)).join("");

function onResult() {
  const earlier = current && queryOf(current);
  /** @type {Result} */
  const result = { id: newId(), ...traceView().unrolled.result(), view: {} };
  current = result;
  results = withResult(results, result);
  if (earlier !== null) isLeftOut = false;
  if (isVisitorAddress) {
    currentEntry = entryText(result);
    // The example of the page does not replace what a reload should bring back.
    if (!isLeftOut) afterNextFrame(() => writeAddress("replaceState", stateOf(result), window.location.href));
    isVisitorAddress = traceView().unrolled.isRestoring(); // its edits and its step are still to come
  } else {
    const method = isReturning || earlier === queryOf(result) ? "replaceState" : "pushState";
    isReturning = false;
    afterNextFrame(() => write(method, result));
  }
}

// The view of a result has changed: a step, a path, an edit.
function onView() {
  if (!current || traceView().unrolled.isRestoring() || isIntroducing()) return;
  Object.assign(current, traceView().unrolled.result(), { view: traceView().unrolled.read().values });
  if (entryText(current) !== currentEntry) write("replaceState", current);
}

// The view of a link or a history entry is restored. At a visit, the address stays as it is.
function onRestored() {
  if (!current) return;
  Object.assign(current, traceView().unrolled.result(), { view: traceView().unrolled.read().values });
  results = withoutRepeats(results, current);
  if (isVisitorAddress) {
    currentEntry = entryText(current);
    if (!isInLesson()) writeAddress("replaceState", stateOf(current), window.location.href);
  } else if (entryText(current) !== currentEntry) write("replaceState", current);
  isVisitorAddress = false;
}

/**
 * Shows a stored result, and fills its request into the controls.
 * @type {(result: Result, view: Record<string, any>) => void}
 */
function show(result, view) {
  if (!result.versions) return askFor({ ...result, view });
  leaveRun();
  current = result;
  fill({ ...result.request, run: false });
  traceView().unrolled.reopen(result.versions, view);
}

// Cancels a running decoding, which must not replace what the reader looks at.
const leaveRun = () => document.dispatchEvent(new CustomEvent("unrolled:left"));

/** @param {ResultRequest & { run: boolean }} request */
const fill = (request) =>
  functionsOf("#results .results")
    .then((menu) => menu.fill(request))
    .catch(console.error);

/** @param {string} id of the stored result to show again; the current one stays in the history */
export function reopen(id) {
  const result = results.find((one) => one.id === id);
  if (!result || result === current) return;
  if (!isInLesson() && result.versions) writeAddress("pushState", stateOf(result), window.location.href);
  show(result, result.view);
  document.dispatchEvent(new CustomEvent("unrolled:results"));
}

/**
 * Stores a text that another text has replaced in the form.
 * @param {{ checkpoint: string, label: string, text: string }} source
 */
export function keepSource({ checkpoint, label, text }) {
  const request = { checkpoint, text, settings: {} };
  const labels = { checkpoint: label, strategy: "", output: "" };
  results = withDraft(results, { id: newId(), request, labels, versions: null, view: {} });
  document.dispatchEvent(new CustomEvent("unrolled:results"));
}

/** Fills in the controls for the current result, after a late answer filled them in for another one. */
export function fillAgain() {
  if (current) fill({ ...current.request, run: false });
}

/**
 * Shows a result that was not decoded here, and fills in the controls if they can express its request.
 * @param {import("../../trace/payload.js").TracePayload} payload
 */
export async function openResult(payload) {
  const trace = await functionsOf(VIEW);
  leaveRun();
  forgetVisitorAddress();
  trace.receive(payload);
  if (current) current.isFromFile = true;
  fillAgain();
}

/** @param {PopStateEvent} event */
async function onBack({ state }) {
  const entry = entryOf(state);
  if (!entry || !traceView()) return;
  dropUnwritten(); // it belongs to the entry that was left
  notifyHub();
  isVisitorAddress = true;
  address = window.location.href;
  if (currentTabName() !== "decode") (await waitFor('[role=tablist] [data-tab-id="decode"]')).click();
  const result = results.find((one) => one.id === entry.id);
  if (result) show(result, entry.view);
  else askFor(entry);
  document.dispatchEvent(new CustomEvent("unrolled:results"));
}

/** @param {Entry} entry whose result is not stored: it is decoded again and shown in the same view */
function askFor(entry) {
  leaveRun();
  traceView().unrolled.restore(entry.view, true);
  fill({ ...entry.request, run: true });
}

/**
 * Restores the result after a reload whose address does not name it: it is that of another tab, or the result is of a
 * checkpoint of the reader's own training. The history's entry has both. Call it when the tab is open: Gradio loses
 * values of fields that are not drawn yet.
 */
export async function restoreLeft() {
  if (!leftResult || !isLeftOut) return;
  const trace = await functionsOf(VIEW);
  await waitFor(`${VIEW}:not([data-ready="0"])`).catch(() => {}); // the example, which the page decodes by itself
  if (!isLeftOut) return; // the reader has decoded something else since
  isLeftOut = false;
  isVisitorAddress = false;
  const [now, before] = [current, leftResult].map((result) => result && queryOf({ ...result, view: {} }));
  if (now === before) return trace.restore(leftResult.view);
  isReturning = true;
  askFor(leftResult);
}

/**
 * Forgets the result of before the reload, since the address names it or another one.
 * @returns {Record<string, any>} its edits, if no address has them
 */
export function forgetLeft() {
  const stored = isLeftOut ? leftResult?.view.stored : undefined;
  isLeftOut = false;
  return stored ? { stored } : {};
}

/** The request of the result that was shown when the page was left. */
export const leftRequest = leftResult?.request;

/** Stops treating the address as the visitor's, after a decoding has failed. */
export function forgetVisitorAddress() {
  isVisitorAddress = false;
}

/** The query of the current result. */
export const resultQuery = () => (current ? queryOf(current) : "");

/** The query of a link to the current tab: its result's, else its form's. */
export function shownQuery() {
  const tab = currentTabName() ?? "decode";
  if (tab === "decode") return resultQuery();
  return formOf(tab) ? new URL(link(tab, hiddenParts()).href).search.slice(1) : query(tab, {}, hiddenParts());
}

/**
 * Sets the address to a step of a lesson, until `leaveLesson`. An address with a changed state of the step stays.
 * @type {(method: "pushState" | "replaceState", step: CourseStep, opens?: boolean) => void}
 */
export function enterLesson(method, step, opens) {
  setStep(step, opens);
  dropUnwritten();
  const before = window.location.href;
  const isSame = method === "replaceState" && isChanged(step, before);
  if (isSame) noteOpened("");
  writeAddress(method, { lesson: step }, isSame ? before : withQuery(before, lessonQuery(shownQuery())));
}

/** Sets the address back to the content of the tab. */
export function leaveLesson() {
  setStep(null);
  isVisitorAddress = false;
  const tab = currentTabName() ?? "decode";
  if (tab === "decode" && current) write("replaceState", current);
  else writeAddress("replaceState", null, withQuery(window.location.href, query(tab, {}, hiddenParts())));
}

/** Starts to follow the first tab's result. */
export function startAddress() {
  /** @type {Record<string, () => void>} */
  const answers = { result: onResult, view: onView, restored: onRestored };
  document.addEventListener("unrolled:shown", (event) => {
    if (!(event.target instanceof Element) || !event.target.matches(VIEW)) return;
    answers[/** @type {CustomEvent<string>} */ (event).detail]();
    document.dispatchEvent(new CustomEvent("unrolled:results"));
  });
  document.addEventListener("unrolled:hide", onView);
  window.addEventListener("popstate", onBack);
  window.addEventListener("pagehide", () => storeResults(results));
}
