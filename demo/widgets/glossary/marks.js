// @ts-check
// Marks the terms of the glossary on the page and follows its changes: each term where it is first visible. The texts
// themselves stay as they are.
import { make } from "../view/dom.js";

/** @import { Match } from "./terms.js" */

export const MARK = ".gl-term";
// Selects sentences, headings and labels, but no text that people type, press or decode.
const SEARCHED_TEXTS =
  "h2, h3, h4, th, dt, legend, .card p, .page-header p, [data-testid=block-info], .info-text," +
  " .tv-caption, .tv-score, .tv-entropy, .tv-legend li, .tv-ranking-note, .tv-ranking-title, .tv-lead, .cp-caption," +
  " .ls-text, .ls-outcome p";
// Explained under the pointer alone: a row of numbers or signs would be a row of stops of the Tab key.
const WITHOUT_STOP = ".page-header p, .tv-score, .tv-entropy, .tv-legend li";
const LEFT_OUT =
  "a, button, input, textarea, select, summary, output, svg, code, pre, [role=tab], [role=button], [role=radio]," +
  " [role=option], [role=status], [role=alert], [aria-live], [contenteditable], [translate=no]:not(bdi), .gl-tip, .gl-list," +
  " .ls-paired, .ls-quiz, [data-term], .for-screen-readers, .trace-view h3, #source"; // the last three are invisible
const LESSON = "aside.lesson"; // marks its terms apart from the page that it stands beside
const LIVE = ":is([role=status], [aria-live])";
const GROUP = `.tabitem, ${LESSON}, body`; // each has one tab stop, from which arrow keys lead on
const TERM = "data-term"; // an attribute of every occurrence of a term, marked or not
const OTHER_SENSES = "data-other-senses"; // an attribute of a lesson: the terms that have another sense in it
const QUIET_MILLISECONDS = 200; // the page must be unchanged for this long before it is searched again

/**
 * @param {Element} root is searched now and after each change
 * @param {(text: string) => Match[]} findTerms
 */
export function markTerms(root, findTerms) {
  /** @type {WeakMap<Text, ChildNode[]>} */
  const added = new WeakMap(); // the nodes after a text that was shortened, for when its owner changes it
  /** @type {Set<Element>} */
  let changed = new Set([root]);
  let waiting = 0;
  let marking = 0;

  /**
   * @param {Text} text
   * @param {Set<number>} marked terms that are marked already in the sentence
   */
  function markText(text, marked) {
    const whole = text.data;
    const otherSenses = text.parentElement?.closest(LESSON)?.getAttribute(OTHER_SENSES)?.split("|") ?? [];
    const matches = findTerms(whole).filter(
      ({ term, name }) => !otherSenses.includes(name) && !marked.has(term) && marked.add(term),
    );
    if (!matches.length) return;
    /** @type {ChildNode[]} */
    const parts = [];
    matches.forEach(({ start, end, term }, index) => {
      const mark = make("span", "", whole.slice(start, end));
      mark.dataset.term = String(term);
      parts.push(mark, document.createTextNode(whole.slice(end, matches[index + 1]?.start)));
    });
    text.data = whole.slice(0, matches[0].start);
    text.after(...parts);
    added.set(text, parts);
  }

  // Tabs, chips and folds change what is visible.
  function markFirst() {
    const scopes = { page: new Set(), lesson: new Set() };
    const groups = new Set();
    const marks = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(`[${TERM}]`)]);
    // All are looked at before any is changed: each change makes the next look compute the page's style again.
    for (const mark of marks.filter((term) => term.checkVisibility())) {
      const marked = scopes[mark.closest(LESSON) ? "lesson" : "page"];
      const isFirst = !marked.has(mark.dataset.term);
      marked.add(mark.dataset.term);
      mark.classList.toggle(MARK.slice(1), isFirst);
      if (!isFirst || mark.closest(WITHOUT_STOP)) {
        mark.removeAttribute("tabindex");
        continue;
      }
      const group = mark.closest(GROUP);
      mark.tabIndex = groups.has(group) ? -1 : 0;
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
    const marked = new Set([...element.querySelectorAll(`[${TERM}]`)].map((mark) => Number(mark.getAttribute(TERM))));
    const live = element.closest(`${LESSON} ${LIVE}`);
    if (live) silence(live);
    for (const text of texts) if (text.data.trim() && !isLeftOut(text)) markText(text, marked);
  }

  function readChanges() {
    const [elements, done] = [changed, new Set()];
    changed = new Set();
    for (const element of elements) {
      if (!element.isConnected) continue;
      const outer = element.closest(SEARCHED_TEXTS);
      for (const part of outer ? [outer] : element.querySelectorAll(SEARCHED_TEXTS)) {
        if (!done.has(part)) read(part);
        done.add(part);
      }
    }
    markFirst();
    observer.takeRecords(); // drops our own changes
  }

  /** @param {Text} text was changed by another script, so what was cut off it is obsolete */
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

/** @param {Text} text */
function isLeftOut(text) {
  const outer = text.parentElement?.closest(LEFT_OUT);
  return outer !== null && outer !== undefined && !outer.matches(`${LESSON} ${LIVE}`);
}

/** @param {Element} live region of a lesson, whose sentence a screen reader shall not repeat when terms are marked */
function silence(live) {
  if (live.getAttribute("aria-live") === "off") return;
  const previous = live.getAttribute("aria-live");
  live.setAttribute("aria-live", "off");
  setTimeout(
    () => (previous === null ? live.removeAttribute("aria-live") : live.setAttribute("aria-live", previous)),
    50,
  );
}

/** @param {KeyboardEvent} event arrow keys move among the terms of a group */
function rove(event) {
  const mark = event.target instanceof Element ? event.target.closest(MARK) : null;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!mark || !step) return;
  event.preventDefault();
  event.stopPropagation();
  const all = /** @type {HTMLElement[]} */ ([...(mark.closest(GROUP)?.querySelectorAll(`${MARK}[tabindex]`) ?? [])]);
  const visible = all.filter((other) => other.getClientRects().length);
  const next = visible[visible.indexOf(/** @type {HTMLElement} */ (mark)) + step];
  if (!next) return;
  for (const other of all) other.tabIndex = other === next ? 0 : -1;
  next.focus();
}
