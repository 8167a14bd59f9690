// @ts-check
// The one explanation that is open: beside its term, by hover, tap or focus, until Escape or the next one. What people
// press, such as a tab, has no marks; it is explained by hover and focus alone.
import { make } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";

/** @import { Found, Term } from "./terms.js" */

const PRESSED = "[role=tab], [data-pane-shown], .chip-button, .tv-force, .tv-edit-attention";
const ID = "glossary-tip";
const ROOM = 8; // pixels to the edges of the page, and to the term
const LEAVING_MILLISECONDS = 250; // for a pointer on its way from the term to the explanation

// Its parts may stand apart by style alone.
/** @param {HTMLElement} control */
const wordsOf = (control) =>
  [...control.childNodes]
    .map(({ textContent }) => textContent?.trim())
    .join(" ")
    .trim();

/**
 * @param {Term[]} terms
 * @param {string} selector of their marks on the page, which name their term in `data-term`
 * @param {(text: string) => Found[]} findTerms
 */
export function createTooltip(terms, selector, findTerms) {
  const box = make("div", "gl-tip");
  const [name, meaning] = [make("b"), make("span")];
  box.append(name, meaning);
  Object.assign(box, { id: ID, hidden: true });
  box.setAttribute("role", "tooltip");
  (document.querySelector("main") ?? document.body).append(box); // a landmark, for screen readers
  /** @type {HTMLElement | null} */
  let shown = null;
  let leaving = 0;

  /** @param {HTMLElement} mark */
  function show(mark) {
    clearTimeout(leaving);
    if (mark === shown) return;
    hide();
    const term = mark.dataset.term ?? findTerms(wordsOf(mark))[0]?.term;
    if (term === undefined) return;
    const [forms, told] = terms[Number(term)];
    name.textContent = forms[0];
    meaning.textContent = told;
    mark.setAttribute("aria-describedby", ID);
    shown = mark;
    box.hidden = false;
    place(mark);
  }

  function hide() {
    clearTimeout(leaving);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }

  // By the page, not the window: within a frame as tall as its page there is no window to speak of.
  function place(mark) {
    const [at] = mark.getClientRects();
    const around = (box.offsetParent ?? document.body).getBoundingClientRect();
    if (!at) return hide();
    const width = document.documentElement.clientWidth;
    const left = clamp(at.left, ROOM, Math.max(ROOM, width - box.offsetWidth - ROOM));
    const below = at.bottom + ROOM;
    const above = at.top - box.offsetHeight - ROOM;
    const top = below + box.offsetHeight > window.innerHeight && above > 0 ? above : below;
    Object.assign(box.style, { left: `${left - around.left}px`, top: `${top - around.top}px` });
  }

  /** @type {(event: Event, marks?: string) => HTMLElement | null} */
  const markOf = ({ target }, marks = `${selector}, ${PRESSED}`) =>
    target instanceof Element ? target.closest(marks) : null;
  const isBox = ({ target }) => target instanceof Node && box.contains(target);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const mark = markOf(event);
    if (mark) return show(mark);
    if (!shown) return;
    clearTimeout(leaving);
    if (!isBox(event) && document.activeElement !== shown) leaving = setTimeout(hide, LEAVING_MILLISECONDS);
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else if (shown) hide();
  });
  document.addEventListener("focusout", (event) => {
    if (markOf(event)) hide();
  });
  document.addEventListener("click", (event) => {
    const mark = markOf(event, selector);
    if (mark) {
      event.preventDefault(); // within a label it would choose what the label is of
      show(mark);
    } else if (!isBox(event)) hide();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !shown) return;
      event.stopPropagation();
      hide();
    },
    true,
  );
  return { hide };
}
