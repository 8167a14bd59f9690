// @ts-check
// The address follows the result on show, and Back goes through the last ones. What the visitor came by stays as it
// is until the reader asks for something, or looks at something else.

import { withDraft, withResult } from "../decoding/kept_results.js";
import { isIntroducing } from "../first_visit.js";
import { offered, there } from "../there.js";
import { hidden } from "./hide.js";
import { link, query, withoutLost } from "./links.js";
import { ownQuery, withQuery } from "./query.js";

/** @import { Result, Asked } from "../decoding/kept_results.js" */
/** @typedef {{ id: string, asked: Asked, look: Record<string, any> }} Entry of the browser's history */

const VIEW = "#trace .trace-view";
const HUB = "https://huggingface.co";

/** @type {Result[]} */
let results = [];
/** @type {Result | null} */
let current = null;
let isGiven = true; // the address came from elsewhere: the next result belongs to it
let written = ""; // the query of what is on show
/** @type {string | null} */
let address = null; // of the Decode tab, once it is no longer what the visitor came by
/** @type {Entry | null} */
let left = globalThis.history?.state?.unrolled ?? null; // what was on show when the page was left
let inLesson = false; // whose step stands in the address, whatever is on show
/** @type {(() => void) | null} */
let unwritten = null; // the history's entry for a result that is being drawn

export const keptResults = () => results;
export const resultOnShow = () => current;
export const decodeAddress = () => address;
export const isInLesson = () => inLesson;

/** The tab on show, by its name. */
export const tabOnShow = () =>
  /** @type {HTMLElement | null} */ (document.querySelector("#tabs [role=tab][aria-selected=true]"))?.dataset.tabId;

/** @returns {any} the view of the tab, with what it offers */
const view = () => document.querySelector(VIEW);

function isInHub() {
  if (window.parent === window) return false;
  return [...(window.location.ancestorOrigins ?? [])].includes(HUB) || document.referrer.startsWith(`${HUB}/`);
}

// The Hub's page around a Space takes its own address from this message.
function tellHub() {
  if (isInHub()) window.parent.postMessage({ queryString: ownQuery(window.location.href) }, HUB);
}

/**
 * Writes to the history once the next frame has been seen: a browser lays out the page for it, which then is
 * done once and not before the output appears.
 * @param {() => void} write
 */
function onceSeen(write) {
  if (inLesson) return;
  writeNow();
  unwritten = write;
  if (document.hidden) writeNow();
  else requestAnimationFrame(() => setTimeout(writeNow));
}

function writeNow() {
  const write = unwritten;
  unwritten = null;
  write?.();
}

/** The address with all that is to be said in it. */
export function currentAddress() {
  writeNow();
  return new URL(window.location.href);
}

/** @type {(method: "pushState" | "replaceState", state: any, href: string) => void} */
export function writeAddress(method, state, href) {
  writeNow();
  const before = window.location.href;
  try {
    window.history[method](state, "", href);
  } catch {
    return; // too often, for some browsers: the address is that of before
  }
  if (href !== before) tellHub();
}

/** @type {(result: Result) => { unrolled: Entry }} */
const entryOf = ({ id, asked, look }) => ({ unrolled: { id, asked, look } });

/** @param {Result} result */
function queryOf({ asked, look }) {
  const values = { checkpoint: asked.checkpoint, text: asked.text, ...asked.settings, ...look };
  withoutLost(values);
  // Another checkpoint would make something else of the text.
  return query("decode", values.checkpoint ? values : {}, hidden());
}

/** @type {(method: "pushState" | "replaceState", result: Result) => void} */
function write(method, result) {
  written = queryOf(result);
  address = withQuery(window.location.href, written);
  if (!inLesson && tabOnShow() === "decode") writeAddress(method, entryOf(result), address);
}

// A random name: results of earlier loads of the page are in the browser's history too.
const newId = () => crypto.getRandomValues(new Uint32Array(2)).join("");

function onResult() {
  const earlier = current && queryOf(current);
  /** @type {Result} */
  const result = { id: newId(), ...view().unrolled.shown(), look: {} };
  current = result;
  results = withResult(results, result);
  if (isGiven) {
    written = queryOf(result);
    onceSeen(() => writeAddress("replaceState", entryOf(result), window.location.href));
    isGiven = view().unrolled.isRestoring(); // its edits and its step are still to come
  } else {
    const method = earlier === queryOf(result) ? "replaceState" : "pushState";
    onceSeen(() => write(method, result));
  }
}

// A step, a path, an edit: all that a link says of how a result is looked at.
function onLook() {
  if (!current || view().unrolled.isRestoring() || isIntroducing()) return;
  Object.assign(current, view().unrolled.shown(), { look: view().unrolled.read().values });
  if (queryOf(current) !== written) write("replaceState", current);
}

// What was asked for is there, as it was to be looked at; by an address from elsewhere, that one stays.
function onRestored() {
  if (!current) return;
  Object.assign(current, view().unrolled.shown(), { look: view().unrolled.read().values });
  if (isGiven) written = queryOf(current);
  else if (queryOf(current) !== written) write("replaceState", current);
  isGiven = false;
}

/**
 * Shows a result that is kept, and what was asked for it in the controls.
 * @type {(result: Result, look: Record<string, any>) => void}
 */
function show(result, look) {
  leaveRun();
  if (!result.versions) {
    fill({ ...result.asked, run: true });
    return;
  }
  current = result;
  fill({ ...result.asked, run: false });
  view().unrolled.reopen(result.versions, look);
}

// What was asked for by the controls is not to take the place of what the reader looks at instead.
const leaveRun = () => document.dispatchEvent(new CustomEvent("unrolled:left"));

/** @param {Asked & { run: boolean }} asked */
const fill = (asked) =>
  offered("#results .results")
    .then((menu) => menu.fill(asked))
    .catch(console.error);

/** @param {string} id of a result that is kept: it is shown again, and the one before stays in the history */
export function reopen(id) {
  const result = results.find((one) => one.id === id);
  if (!result || result === current) return;
  if (!inLesson && result.versions) writeAddress("pushState", entryOf(result), window.location.href);
  show(result, result.look);
  document.dispatchEvent(new CustomEvent("unrolled:results"));
}

/**
 * Keeps a text that another took the place of.
 * @param {{ checkpoint: string, label: string, text: string }} source
 */
export function keepSource({ checkpoint, label, text }) {
  const asked = { checkpoint, text, settings: {} };
  const told = { checkpoint: label, strategy: "", output: "" };
  results = withDraft(results, { id: newId(), asked, told, versions: null, look: {} });
  document.dispatchEvent(new CustomEvent("unrolled:results"));
}

/**
 * Fills in the controls for the result on show, where an answer that came late has filled them in for another.
 */
export function fillAgain() {
  if (current) fill({ ...current.asked, run: false });
}

/**
 * Shows a result that was not decoded here, and what was asked for it in the controls if they can say it.
 * @param {string} payload
 */
export async function openResult(payload) {
  const trace = await offered(VIEW);
  leaveRun();
  forgetGiven();
  trace.receive(payload);
  if (current) current.isFromFile = true;
  fillAgain();
}

/** @param {PopStateEvent} event */
async function onBack({ state }) {
  const entry = /** @type {Entry | undefined} */ (state?.unrolled);
  if (!entry || !view()) return;
  unwritten = null; // where the reader is now is another entry
  tellHub();
  isGiven = true;
  address = window.location.href;
  if (tabOnShow() !== "decode") (await there('[role=tablist] [data-tab-id="decode"]')).click();
  const result = results.find((one) => one.id === entry.id);
  if (result) show(result, entry.look);
  else askFor(entry);
  document.dispatchEvent(new CustomEvent("unrolled:results"));
}

/** @param {Entry} entry whose result is not kept: it is decoded again, and looked at as it was */
function askFor(entry) {
  leaveRun();
  view().unrolled.restore(entry.look, true);
  fill({ ...entry.asked, run: true });
}

/** After a reload: a checkpoint of the reader's own training is in no address, but its browser remembers it. */
export async function restoreLeft() {
  const entry = left;
  left = null;
  if (!entry || !withoutLost({ checkpoint: entry.asked.checkpoint }).length) return;
  await offered(VIEW);
  isGiven = true;
  askFor(entry);
}

/** A decoding has failed: whatever comes next, nobody came by its address. */
export function forgetGiven() {
  isGiven = false;
}

/** The query of the result on show, for whoever has to know what is on show. */
export const resultQuery = () => (current ? queryOf(current) : "");

/**
 * The address is that of a step of a lesson, until `leaveLesson`.
 * @type {(method: "pushState" | "replaceState", step: Record<string, string | number>) => void}
 */
export function enterLesson(method, step) {
  inLesson = true;
  unwritten = null;
  const asked = Object.entries(step).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (hidden().length) asked.push(`hide=${hidden().join(",")}`);
  writeAddress(method, { lesson: step }, withQuery(window.location.href, asked.join("&")));
}

/** The address is that of what is on show again. */
export function leaveLesson() {
  inLesson = false;
  isGiven = false;
  const tab = tabOnShow() ?? "decode";
  if (tab === "decode" && current) write("replaceState", current);
  else writeAddress("replaceState", null, withQuery(window.location.href, query(tab, {}, hidden())));
}

/**
 * The address says which lab is open, and what is chosen in it.
 * @param {{ detail: string }} event
 */
function onGathered({ detail }) {
  if (detail !== "learn" || inLesson || tabOnShow() !== "learn") return;
  const asked = new URL(link("learn", hidden()).href).search.slice(1);
  writeAddress("replaceState", window.history.state, withQuery(window.location.href, asked));
}

/** Begins to follow the first tab's result, and the open lab. */
export function startAddress() {
  /** @type {Record<string, () => void>} */
  const answers = { result: onResult, look: onLook, restored: onRestored };
  document.addEventListener("unrolled:shown", (event) => {
    if (!(event.target instanceof Element) || !event.target.matches(VIEW)) return;
    answers[/** @type {CustomEvent<string>} */ (event).detail]();
    document.dispatchEvent(new CustomEvent("unrolled:results"));
  });
  document.addEventListener("unrolled:hide", onLook);
  document.addEventListener("unrolled:gathered", (event) => onGathered(/** @type {CustomEvent<string>} */ (event)));
  window.addEventListener("popstate", onBack);
}
