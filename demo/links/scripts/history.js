// @ts-check
// The browser's history: its entries, and writing them. The stored form of an entry keeps its names: an earlier version
// of the page may have written it.
import { isInLesson } from "./lesson_step.js";
import { ownQuery } from "./query.js";

/** @import { ResultRequest } from "../../decode/scripts/recent_results.js" */
/** @typedef {{ id: string, request: ResultRequest, view: Record<string, any> }} Entry */
/** @typedef {{ unrolled: { id: string, asked: ResultRequest, look: Record<string, any> } }} State of the history */

const HUB = "https://huggingface.co";

/** @type {(() => void) | null} */
let unwritten = null; // writes the history's entry of a result that is being drawn

let isLeaving = false; // a reload is under way

/** @type {(entry: Entry) => State} */
export const stateOf = ({ id, request, view }) => ({ unrolled: { id, asked: request, look: view } });

/** @type {(state: State | null | undefined) => Entry | null} */
export function entryOf(state) {
  if (!state?.unrolled) return null;
  const { id, asked, look } = state.unrolled;
  return { id, request: asked, view: look };
}

function isInHub() {
  if (window.parent === window) return false;
  return [...(window.location.ancestorOrigins ?? [])].includes(HUB) || document.referrer.startsWith(`${HUB}/`);
}

// The Hub's page around a Space updates its own address by this message.
export function notifyHub() {
  if (isInHub()) window.parent.postMessage({ queryString: ownQuery(window.location.href) }, HUB);
}

/**
 * Writes to the history after the next frame: a browser lays the page out for it, which should happen once, and not
 * before the output appears.
 * @param {() => void} write
 */
export function afterNextFrame(write) {
  if (isInLesson()) return;
  writeNow();
  unwritten = write;
  if (document.hidden) writeNow();
  else requestAnimationFrame(() => setTimeout(writeNow));
}

/** Forgets a write that has not happened yet. */
export function dropUnwritten() {
  unwritten = null;
}

function writeNow() {
  const write = unwritten;
  unwritten = null;
  write?.();
}

/** The current address, after pending writes. */
export function currentAddress() {
  writeNow();
  return new URL(window.location.href);
}

/**
 * Reloads the page at an address with a history's entry. Nothing is written any more: while a reload is under way, the
 * browser loses the entry's state to another write.
 * @type {(state: any, href: string) => void}
 */
export function reloadAt(state, href) {
  writeAddress("replaceState", state, href);
  isLeaving = true;
  window.location.reload();
}

/** @type {(method: "pushState" | "replaceState", state: any, href: string) => void} */
export function writeAddress(method, state, href) {
  writeNow();
  if (isLeaving) return;
  const before = window.location.href;
  try {
    window.history[method](state, "", href);
  } catch {
    return; // some browsers refuse frequent changes: the address stays
  }
  if (href !== before) notifyHub();
}
