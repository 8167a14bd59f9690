// @ts-check
// Brings the numbers of a reveal into view: the step of the decoding that it speaks of, the cards that show them, and
// the part of the page where most of them stand.

import { currentTabName } from "../../../links/scripts/address.js";
import { functionsOf } from "../../../page/scripts/late_elements.js";
import { READER_EVENTS, seenHeight } from "../../../widgets/view/scrolling.js";
import { isNarrow, LESSON, raiseDock } from "./dock_position.js";

/**
 * @typedef {object} Evidence
 * @property {number} step of the decoding, from 1; 0 means none
 * @property {string[]} cards
 * @property {number[][]} values of each term, first its own, then those that it is computed from
 */
/** @typedef {{ value: number, element: Element, top: number, bottom: number }} Place where a value stands, in pixels */

const VIEW = "#trace .trace-view";
const FOLDED_CARDS = { reference: "#comparison .cp-verdict" }; // cards that are folded away, by name
const NUMBER = /[−-]?\d+(?:,\d{3})+(?:\.\d+)?|[−-]?\d*\.?\d+/g;
const MARGIN_PIXELS = 16; // pixels between a number and the end of the screen
const RETRY_MILLISECONDS = [0, 400, 1000, 2000]; // milliseconds after which a card may have been drawn

/**
 * Whether a text shows a value, rounded, with at least two digits if it has decimals; below 0.1% the page writes one.
 * @param {string} text
 * @param {number} value
 */
function says(text, value) {
  for (const match of text.matchAll(NUMBER)) {
    const number = match[0].replace("−", "-").replaceAll(",", "");
    const decimals = number.split(".")[1]?.length ?? 0;
    const isPercent = text.slice(match.index + match[0].length).trimStart()[0] === "%";
    const scales = isPercent ? [1, 100] : [1];
    const digits = number.replace(/^-?0*\.?0*/, "").replace(".", "").length;
    const isSmallPercent = isPercent && digits === 1 && Number(number) < 0.1;
    if (digits < 2 && !isSmallPercent && !Number.isInteger(value)) continue;
    if (scales.some((scale) => Math.abs(Number(number) - value * scale) <= 0.50001 * 10 ** -decimals)) return true;
  }
  return false;
}

/**
 * Finds the values in the open tab: inside the part that the step looks at, if they are there.
 * @param {number[]} values
 * @param {string} part selectors of the part that the step describes
 */
function placesOf(values, part) {
  const tab = document.querySelector("#tabs > .tabitem:not([style*='none'])") ?? document.body;
  const walker = document.createTreeWalker(tab, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  /** @type {Place[]} */
  const places = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = /** @type {Element} */ (node.parentElement);
    if (!/\d/.test(node.textContent ?? "") || element.closest("aside.lesson") || !element.checkVisibility()) continue;
    // A sign of percent may be an element of its own.
    const text = `${node.textContent}${node.nextSibling?.textContent?.[0] === "%" ? "%" : ""}`;
    range.selectNodeContents(node);
    const { top, bottom, left, right } = range.getBoundingClientRect();
    if (left >= window.innerWidth || right <= 0) continue; // a cell of a wide table, to which nothing scrolls
    for (const value of values) if (says(text, value)) places.push({ value, element, top, bottom });
  }
  const isInside = (/** @type {Place} */ { element }) => Boolean(part && element.closest(part));
  return places.filter(
    (position) => isInside(position) || !places.some((other) => other.value === position.value && isInside(other)),
  );
}

/** The scrolling boxes around the places, the inner ones first. @param {Place[]} places */
function boxesAround(places) {
  /** @type {Set<Element>} */
  const boxes = new Set();
  for (const { element } of places)
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(box).overflowY))
        boxes.add(box);
  return [...boxes];
}

/**
 * The smallest distance to scroll so that as many values as possible lie between two heights.
 * @param {Place[]} places
 * @param {number} first
 * @param {number} last
 */
function distance(places, first, last) {
  const seenAt = (/** @type {number} */ pixels) =>
    new Set(
      places.filter(({ top, bottom }) => top - pixels >= first && bottom - pixels <= last).map(({ value }) => value),
    ).size;
  const candidates = [
    0,
    ...places.flatMap(({ top, bottom }) => [top - first - MARGIN_PIXELS, bottom - last + MARGIN_PIXELS]),
  ];
  candidates.sort((one, other) => Math.abs(one) - Math.abs(other));
  return candidates.reduce((best, pixels) => (seenAt(pixels) > seenAt(best) ? pixels : best), 0);
}

/** The lowest visible pixel. */
const floor = () => document.querySelector(`${LESSON}.ls-folded`)?.getBoundingClientRect().top ?? seenHeight();

/** @param {string} name of a card */
function openCard(name) {
  const view = /** @type {HTMLElement} */ (document.querySelector(VIEW));
  const card = view.querySelector(`[data-card="${name}"]`);
  if (!card || card.checkVisibility()) return;
  const pane = /** @type {HTMLElement | null} */ (card.closest(".tv-pane"))?.dataset.pane;
  /** @type {HTMLElement | null} */ (view.querySelector(`[data-pane-shown="${pane}"]`))?.click();
  /** @type {HTMLElement | null} */ (view.querySelector(`[data-tab="${name}"]`))?.click();
}

/** Labels points in the charts of the open tab. @param {number[]} values */
function label(values) {
  for (const chart of document.querySelectorAll("#tabs > .tabitem:not([style*='none']) .js-plotly-plot"))
    chart.dispatchEvent(new CustomEvent("unrolled:label", { detail: values }));
}

/** @param {() => void} onScroll when the page is scrolled to the numbers */
export function createEvidence(onScroll) {
  /** @type {Evidence | null} */
  let current = null;
  let part = "";
  /** @type {ReturnType<typeof setTimeout>[]} */
  let timers = [];

  async function turnTo() {
    const { step, cards } = current ?? { step: 0, cards: /** @type {string[]} */ ([]) };
    for (const [name, fold] of Object.entries(FOLDED_CARDS))
      if (cards.includes(name)) document.querySelector(fold)?.setAttribute("open", "");
    if (!current || currentTabName() !== "decode") return;
    if (step) (await functionsOf(VIEW)).steps().goTo(step - 1);
    for (const name of cards.toReversed()) openCard(name); // the first of two cards in one pane stays in front
  }

  function scroll() {
    const values = current?.values.flat() ?? [];
    label(values);
    const places = () => placesOf(values, part);
    for (const box of boxesAround(places())) {
      const { top, bottom } = box.getBoundingClientRect();
      box.scrollTop += distance(places(), top, bottom);
    }
    const pixels = distance(places(), 0, floor());
    if (pixels) {
      onScroll();
      window.scrollBy({ top: pixels, behavior: "instant" });
    }
    raiseDock();
  }

  const stop = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  for (const act of READER_EVENTS) window.addEventListener(act, stop, { capture: true, passive: true });

  function show() {
    stop();
    if (current) timers = RETRY_MILLISECONDS.map((pause) => setTimeout(scroll, pause));
  }

  // The state of a step may arrive after its reveal, which is kept.
  document.addEventListener("unrolled:shown", (event) => {
    if (/** @type {CustomEvent} */ (event).detail === "restored") turnTo().catch(console.error);
  });

  return {
    /** Scrolls to the numbers, if there are any on this page. */
    show,
    /**
     * @param {Evidence | null} evidence of a reveal; null when the step is left
     * @param {string} [selectors] of the part that the step looks at
     */
    set(evidence, selectors = "") {
      current = evidence;
      part = selectors;
      stop();
      if (!evidence) label([]);
      turnTo().catch(console.error);
      if (evidence && !isNarrow()) show();
    },
  };
}
