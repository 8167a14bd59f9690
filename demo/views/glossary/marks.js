// @ts-check
// Marks the terms of the glossary on the page, as the page changes: each where it is first in sight. Text stays the text
// it is.
import { make } from "../shared/dom.js";

/** @import { Found } from "./terms.js" */

export const MARK = ".gl-term";
// What is read: sentences, heads and labels, not what people type, press or decode.
const READ =
  "h2, h3, h4, th, dt, legend, .card p, .page-header p, [data-testid=block-info], .info-text," +
  " .tv-caption, .tv-score, .tv-entropy, .tv-legend li, .tv-ranking-note, .tv-ranking-title, .tv-lead, .cp-caption";
const LEFT_OUT =
  "a, button, input, textarea, select, summary, output, svg, code, pre, [role=tab], [role=button], [role=radio]," +
  " [role=option], [role=status], [role=alert], [aria-live], [contenteditable], [translate=no], .gl-tip, .gl-list," +
  " [data-term], .for-screen-readers, .trace-view h3, #source"; // the last three nobody sees
const GROUP = ".tabitem, body"; // each has one tab stop, from which arrows lead on
const PLACE = "data-term"; // of a term, marked or not
const QUIET_MILLISECONDS = 200; // without changes of the page, before it is read again

/**
 * @param {Element} root all that is read, now and later
 * @param {(text: string) => Found[]} findTerms
 */
export function markTerms(root, findTerms) {
  /** @type {WeakMap<Text, ChildNode[]>} */
  const added = new WeakMap(); // what follows a text that was shortened, so that its owner may change it
  /** @type {Set<Element>} */
  let changed = new Set([root]);
  let waiting = 0;
  let marking = 0;

  /**
   * @param {Text} text
   * @param {Set<number>} known terms that the sentence has marked already
   */
  function markText(text, known) {
    const whole = text.data;
    const found = findTerms(whole).filter(({ term }) => !known.has(term) && known.add(term));
    if (!found.length) return;
    /** @type {ChildNode[]} */
    const parts = [];
    found.forEach(({ start, end, term }, at) => {
      const place = make("span", "", whole.slice(start, end));
      place.dataset.term = String(term);
      parts.push(place, document.createTextNode(whole.slice(end, found[at + 1]?.start)));
    });
    text.data = whole.slice(0, found[0].start);
    text.after(...parts);
    added.set(text, parts);
  }

  // What is in sight changes by tabs, chips and folds too.
  function markFirst() {
    const marked = new Set();
    const groups = new Set();
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(`[${PLACE}]`))) {
      if (!place.checkVisibility()) continue;
      const isFirst = !marked.has(place.dataset.term);
      marked.add(place.dataset.term);
      place.classList.toggle(MARK.slice(1), isFirst);
      if (!isFirst) {
        place.removeAttribute("tabindex");
        continue;
      }
      const group = place.closest(GROUP);
      place.tabIndex = groups.has(group) ? -1 : 0;
      groups.add(group);
    }
  }

  function markSoon() {
    clearTimeout(marking);
    marking = setTimeout(markFirst, QUIET_MILLISECONDS);
  }

  /** @param {Element} element */
  function read(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(/** @type {Text} */ (node));
    const known = new Set(
      [...element.querySelectorAll(`[${PLACE}]`)].map((place) => Number(place.getAttribute(PLACE))),
    );
    for (const text of texts) if (text.data.trim() && !text.parentElement?.closest(LEFT_OUT)) markText(text, known);
  }

  function readChanges() {
    const [elements, done] = [changed, new Set()];
    changed = new Set();
    for (const element of elements) {
      if (!element.isConnected) continue;
      const around = element.closest(READ);
      for (const part of around ? [around] : element.querySelectorAll(READ)) {
        if (!done.has(part)) read(part);
        done.add(part);
      }
    }
    markFirst();
    observer.takeRecords(); // those are ours
  }

  /** @param {Text} text that somebody else has changed: what was cut off it is old */
  function restore(text) {
    for (const part of added.get(text) ?? []) part.remove();
    added.delete(text);
  }

  const observer = new MutationObserver((records) => {
    for (const { target, removedNodes } of records) {
      if (target instanceof Text) restore(target);
      for (const node of removedNodes) if (node instanceof Text && !node.isConnected) restore(node);
      const element = target instanceof Element ? target : target.parentElement;
      if (element && !element.closest("svg, .js-plotly-plot")) changed.add(element);
    }
    clearTimeout(waiting);
    if (changed.size) waiting = setTimeout(readChanges, QUIET_MILLISECONDS);
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  for (const kind of ["click", "keyup", "unrolled:tab"]) document.addEventListener(kind, markSoon);
  root.addEventListener("keydown", (event) => rove(/** @type {KeyboardEvent} */ (event)));
  readChanges();
}

/** @param {KeyboardEvent} event the arrow keys move among the terms of a group */
function rove(event) {
  const mark = event.target instanceof Element ? event.target.closest(MARK) : null;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!mark || !step) return;
  event.preventDefault();
  event.stopPropagation();
  const all = /** @type {HTMLElement[]} */ ([...(mark.closest(GROUP)?.querySelectorAll(MARK) ?? [])]);
  const visible = all.filter((other) => other.getClientRects().length);
  const next = visible[visible.indexOf(/** @type {HTMLElement} */ (mark)) + step];
  if (!next) return;
  for (const other of all) other.tabIndex = other === next ? 0 : -1;
  next.focus();
}
