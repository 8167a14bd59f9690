// @ts-check
// Decodes without the button: at Enter, at a changed setting and, as an option, at every pause while typing. Marks a
// result that the form does not ask for.
import { currentResult, forgetVisitorAddress } from "../../links/scripts/address.js";
import { formOf } from "../../links/scripts/links.js";
import { hasOpenQuestions, onFilled } from "../../page/scripts/late_answers.js";
import { elementOf, isEnter } from "../../widgets/view/dom.js";
import { recall, remember } from "../../widgets/view/memory.js";
import { matchesRequest } from "./recent_results.js";

const SETTINGS = "#strategy-card";
const TEXT = "#source textarea";
const FIELD = "#strategy-card input";
const KEY = "unrolled-live";
const PAUSE_MILLISECONDS = 300; // pause after the last key
const SETTLE_MILLISECONDS = 60; // time in which Gradio's widgets update each other

let changed = false; // a setting changed since the last decoding
let waits = false; // a decoding that waits until the form is filled in
let typed = false; // a text that was typed during a run, which must end first
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

const button = () => document.getElementById("run");
const isBusy = () => button()?.getAttribute("aria-busy") === "true";
const box = () => /** @type {HTMLInputElement | null} */ (document.querySelector("#live input"));
const isLive = () => Boolean(box()?.checked);

/** @param {number} milliseconds */
function runIn(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(run, milliseconds);
}

// What the reader has just changed belongs to the form that is about to be filled in.
function run() {
  waits = hasOpenQuestions();
  if (waits)
    forgetVisitorAddress(); // the form no longer says what the address says
  else button()?.click();
}

function runTyped() {
  const text = /** @type {HTMLTextAreaElement | null} */ (document.querySelector(TEXT))?.value.trim();
  typed = Boolean(text) && isBusy();
  if (text && !typed) run();
}

/** @param {Event} event */
const isSetting = (event) => elementOf(event).matches(`${SETTINGS} :not(.form-tick input)`);

/** @param {Event} event */
function onInput(event) {
  if (isSetting(event)) changed = true;
  if (!elementOf(event).matches(TEXT) || !isLive()) return;
  clearTimeout(timer);
  timer = setTimeout(runTyped, PAUSE_MILLISECONDS);
}

// A change event comes when a slider is released or a number field is left.
/** @param {Event} event */
function onChange(event) {
  if (event.target === box()) return remember(KEY, isLive());
  if (!isSetting(event)) return;
  if (changed || elementOf(event).matches("[type=radio]")) runIn(SETTLE_MILLISECONDS);
}

/**
 * Enter decodes in every field, and Shift+Enter starts a new line of the text, instead of Gradio's behaviour.
 * @param {KeyboardEvent} event
 */
function onKey(event) {
  if (!isEnter(event) || !elementOf(event).matches(`${TEXT}, ${FIELD}`)) return;
  event.stopImmediatePropagation();
  if (event.shiftKey) return;
  event.preventDefault();
  button()?.click();
}

// On a phone the settings stand between the button and the result.
/** @param {Event} event */
function onClick(event) {
  if (!event.isTrusted || !elementOf(event).closest("#run")) return; // a setting may have started the decoding
  document.querySelector("#trace .tv-band")?.scrollIntoView({ block: "nearest" });
}

/**
 * Follows the start of a run, or the end of the last one.
 * @param {boolean} begun
 */
export function followRun(begun) {
  if (begun) {
    clearTimeout(timer);
    waits = false;
    changed = false;
    // Whoever has chosen a checkpoint of several languages chooses those next.
    for (const chip of document.querySelectorAll(".chip[data-open=true]"))
      if (!chip.querySelector(".variants input")?.checkVisibility())
        chip.dispatchEvent(new CustomEvent("unrolled:close"));
  } else if (typed) runTyped();
}

/** Starts to listen. */
export function startLive() {
  document.addEventListener("input", onInput);
  document.addEventListener("change", onChange);
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("click", onClick);
  onFilled(() => {
    if (waits) runIn(SETTLE_MILLISECONDS);
  });
  const observer = new MutationObserver(() => {
    const live = box();
    if (!live) return;
    live.checked = recall(KEY) === true;
    observer.disconnect();
  });
  observer.observe(document.documentElement, { childList: true, subtree: true });
}

const VIEW = "#trace .trace-view";

function mark() {
  const view = /** @type {HTMLElement | null} */ (document.querySelector(VIEW));
  const form = formOf("decode");
  const result = currentResult();
  if (!view || !form || !result) return;
  const matches = matchesRequest(form, result.request);
  if (matches) view.dataset.stale = "false";
  else view.dataset.stale = result.isFromFile ? "file" : "true";
  // The card of the next token says what other settings make of the same distribution.
  const isOfText = matchesRequest(form, { ...result.request, settings: {} });
  view.dispatchEvent(new CustomEvent("unrolled:settings", { detail: isOfText && !matches ? form : null }));
}

/** Starts to follow the form and the results. */
export function startForm() {
  document.addEventListener("unrolled:results", mark);
  document.addEventListener("unrolled:gathered", mark);
}
