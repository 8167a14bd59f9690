// @ts-check
// Explains the page to a new visitor in three sentences, while the step moves by itself once. Any key or click ends it,
// and does besides what it always does.

import { make } from "../shared/dom.js";
import { recall, remember } from "../shared/memory.js";
import { t } from "../shared/translate.js";
import { settings } from "./links/settings.js";
import { there } from "./there.js";

const KEY = "unrolled-introduced";
const VIEW = "#trace .trace-view";
const STEP_MILLISECONDS = 900;

/** @type {{ band: HTMLElement, timer: ReturnType<typeof setInterval> | undefined } | null} */
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
  return ["tab", "hide", "run", "lesson", "class", ...Object.values(settings().parameters).flat()];
}

/** @param {boolean} moving */
function sentences(moving) {
  return [
    t("Above: the source and the output. The stronger a token's colour, the more probable it was."),
    t("Below: the most probable tokens of a step, the paths that the search tried, and where the model looked."),
    moving
      ? t("The step moves by itself, once. After that, move it with ← and →, or click a token.")
      : t("Move the step with ← and →, or click a token."),
  ];
}

/** Ends it, if it is on. */
function end() {
  if (!shown) return;
  clearInterval(shown.timer);
  shown.band.remove();
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

/** Explains the page in a band above the panes, which covers nothing, and moves the step once it is drawn. */
export async function introduce() {
  end();
  const view = await there(VIEW, ({ unrolled, classList }) => Boolean(unrolled) && classList.contains("tv-filled"));
  const moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const band = make("section", "fv-band");
  const list = make("ol");
  list.append(...sentences(moving).map((sentence) => make("li", "", sentence)));
  band.append(list, make("p", "", t("Any key or click closes this; “?” shows it again.")));
  band.setAttribute("aria-label", t("What you see"));
  band.setAttribute("role", "status");
  view.querySelector(".tv-panes").before(band);
  const introduction = { band, timer: undefined };
  shown = introduction;
  document.addEventListener("keydown", end, true);
  document.addEventListener("click", onClick, true);
  await there(VIEW, ({ dataset }) => Number(dataset.ready) > 0);
  if (moving && shown === introduction) shown.timer = moveOnce(view);
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
