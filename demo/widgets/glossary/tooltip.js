// @ts-check
// The tooltip that explains a term, by hover, tap or focus, until Escape or the next term. Controls, such as tabs, have
// no marks and are explained by hover and focus only.
import { make } from "../view/dom.js";
import { clamp } from "../view/numbers.js";

/** @import { Match, Term } from "./terms.js" */

const PRESSED_ELEMENTS = "[role=tab], [data-pane-shown], .chip-button, .tv-force, .tv-edit-attention";
const ID = "glossary-tip";
const GAP_PIXELS = 8; // pixels to the edges of the page and to the term
const LEAVING_MILLISECONDS = 250; // time for a pointer on its way from the term to the tooltip

// The parts of a control may be separated by style alone.
/** @param {HTMLElement} control */
const wordsOf = (control) =>
  [...control.childNodes]
    .map(({ textContent }) => textContent?.trim())
    .join(" ")
    .trim();

/**
 * @param {Term[]} terms
 * @param {string} selector of the marked terms, which name their term in `data-term`
 * @param {(text: string) => Match[]} findTerms
 */
export function createTooltip(terms, selector, findTerms) {
  const [name, meaning] = [make("b"), make("span")];
  const box = make("div", "gl-tip", name, meaning);
  Object.assign(box, { id: ID, hidden: true });
  box.setAttribute("role", "tooltip");
  (document.querySelector("main") ?? document.body).append(box); // inside a landmark, for screen readers
  /** @type {HTMLElement | null} */
  let current = null;
  let leaving = 0;

  /** @param {HTMLElement} mark */
  function show(mark) {
    clearTimeout(leaving);
    if (mark === current) return;
    hide();
    const term = mark.dataset.term ?? findTerms(wordsOf(mark))[0]?.term;
    if (term === undefined) return;
    const [forms, explanation] = terms[Number(term)];
    name.textContent = forms[0];
    meaning.textContent = explanation;
    mark.setAttribute("aria-describedby", ID);
    current = mark;
    box.hidden = false;
    position(mark);
  }

  function hide() {
    clearTimeout(leaving);
    current?.removeAttribute("aria-describedby");
    current = null;
    box.hidden = true;
  }

  // The page's width counts, not the window's: a frame may be as tall as its page.
  function position(mark) {
    const [rectangle] = mark.getClientRects();
    const container = (box.offsetParent ?? document.body).getBoundingClientRect();
    if (!rectangle) return hide();
    const width = document.documentElement.clientWidth;
    const left = clamp(rectangle.left, GAP_PIXELS, Math.max(GAP_PIXELS, width - box.offsetWidth - GAP_PIXELS));
    const below = rectangle.bottom + GAP_PIXELS;
    const above = rectangle.top - box.offsetHeight - GAP_PIXELS;
    const top = below + box.offsetHeight > window.innerHeight && above > 0 ? above : below;
    Object.assign(box.style, { left: `${left - container.left}px`, top: `${top - container.top}px` });
  }

  /** @type {(event: Event, marks?: string) => HTMLElement | null} */
  const markOf = ({ target }, marks = `${selector}, ${PRESSED_ELEMENTS}`) =>
    target instanceof Element ? target.closest(marks) : null;
  const isBox = ({ target }) => target instanceof Node && box.contains(target);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const mark = markOf(event);
    if (mark) return show(mark);
    if (!current) return;
    clearTimeout(leaving);
    if (!isBox(event) && document.activeElement !== current) leaving = setTimeout(hide, LEAVING_MILLISECONDS);
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else if (current) hide();
  });
  document.addEventListener("focusout", (event) => {
    if (markOf(event)) hide();
  });
  document.addEventListener("click", (event) => {
    const mark = markOf(event, selector);
    if (mark) {
      event.preventDefault(); // within a label it would activate the label's control
      show(mark);
    } else if (event.isTrusted && !isBox(event)) hide();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !current) return;
      event.stopPropagation();
      hide();
    },
    true,
  );
  return { hide };
}
