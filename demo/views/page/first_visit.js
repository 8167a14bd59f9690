// @ts-check
// Who comes for the first time is told in three sentences what they see, while the step moves by itself once. Any key
// or click ends it, and does besides what it always does.

import { make } from "../shared/dom.js";
import { recall, remember } from "../shared/memory.js";
import { t } from "../shared/translate.js";
import { settings } from "./links/settings.js";
import { there } from "./there.js";

const KEY = "unrolled-introduced";
const VIEW = "#trace .trace-view";
const STEP_MILLISECONDS = 900;
const EDGE = 10; // pixels below the box

/** @type {{ box: HTMLElement, timer: ReturnType<typeof setInterval> | undefined } | null} */
let shown = null;

/** Whether the step moves, though nobody moves it. */
export const isIntroducing = () => shown !== null;

/**
 * Whether an address asks for nothing in particular.
 * @param {URL} address
 * @param {string[]} own names of parameters of links
 */
export const isPlain = (address, own) => [...address.searchParams.keys()].every((name) => !own.includes(name));

function ownParameters() {
  return ["tab", "hide", "run", "lesson", ...Object.values(settings().parameters).flat()];
}

/** @param {boolean} moving */
function sentences(moving) {
  return [
    t(
      "Above, the source, and under it what the model has written: the stronger the colour of a token, the more probable.",
    ),
    t(
      "In the panes, the tokens that were most probable at this step, the paths that the search tried, " +
        "and where the model looked in the source; on a small screen one at a time.",
    ),
    moving
      ? t("The step moves by itself now, once. Then it is yours: click a token, or press the arrow keys.")
      : t("The step is yours to move: click a token, or press the arrow keys."),
  ];
}

/** Ends it, if it is on. */
function end() {
  if (!shown) return;
  clearInterval(shown.timer);
  shown.box.remove();
  shown = null;
  document.removeEventListener("keydown", end, true);
  document.removeEventListener("click", onClick, true);
}

// A click that the page makes by itself, for a link or a key, is none of the reader's.
/** @param {Event} event */
function onClick(event) {
  if (event.isTrusted) end();
}

/** @param {any} view with what it offers */
function moveOnce(view) {
  const { goTo, length } = view.unrolled.steps();
  let step = 0;
  goTo(step);
  return setInterval(() => {
    step += 1;
    goTo(step < length() ? step : 0);
    if (step >= length() && shown) clearInterval(shown.timer);
  }, STEP_MILLISECONDS);
}

/**
 * Brings the box above the lower edge of a small screen, where it would hide its last sentences.
 * @param {HTMLElement} box
 */
function lift(box) {
  const height = Math.min(window.innerHeight, window.screen.availHeight); // a frame may be as high as its page
  const hidden = box.getBoundingClientRect().bottom + EDGE - height;
  if (hidden > 0) box.style.translate = `0 ${-hidden}px`;
}

/** Tells what is seen, once the first result is drawn. */
export async function introduce() {
  end();
  const view = await there(VIEW, (found) => Boolean(found.unrolled) && Number(found.dataset.ready) > 0);
  const moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const box = make("section", "fv-box");
  const list = make("ol");
  list.append(...sentences(moving).map((sentence) => make("li", "", sentence)));
  box.append(list, make("p", "", t("Any key or click closes this. The question mark shows it again.")));
  box.setAttribute("aria-label", t("What you see"));
  box.setAttribute("role", "status");
  view.querySelector(".tv-panes").append(box);
  lift(box);
  shown = { box, timer: moving ? moveOnce(view) : undefined };
  document.addEventListener("keydown", end, true);
  document.addEventListener("click", onClick, true);
}

/**
 * Begins it for who has never been here; where nothing can be remembered, it would never end.
 * @param {URL} address as the visitor came
 */
export async function startFirstVisit(address) {
  if (recall(KEY) || !isPlain(address, ownParameters())) return;
  remember(KEY, true);
  if (recall(KEY)) await introduce();
}
