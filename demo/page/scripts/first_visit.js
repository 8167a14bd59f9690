// @ts-check
// Explains the page to a new visitor in three sentences, while the step moves by itself once. Any key or click ends the
// introduction and keeps its usual effect.

import { settings } from "../../links/scripts/settings.js";
import { make } from "../../widgets/view/dom.js";
import { recall, remember } from "../../widgets/view/memory.js";
import { t } from "../../widgets/view/translate.js";
import { waitFor } from "./late_elements.js";

const KEY = "unrolled-introduced";
const VIEW = "#trace .trace-view";
const STEP_MILLISECONDS = 900;

/** @type {{ band: HTMLElement, timer: ReturnType<typeof setInterval> | undefined } | null} */
let current = null;

/** Whether the introduction moves the step, not the reader. */
export const isIntroducing = () => current !== null;

/** Whether an address contains no parameter of a link. @param {URL} address @param {string[]} linkParameters names */
export const isPlain = (address, linkParameters) =>
  [...address.searchParams.keys()].every((name) => !linkParameters.includes(name));

const ownParameters = () => ["tab", "hide", "run", "lesson", "class", ...Object.values(settings().parameters).flat()];

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

/** Ends the introduction, if it runs. */
function end() {
  if (!current) return;
  clearInterval(current.timer);
  current.band.remove();
  current = null;
  document.removeEventListener("keydown", end, true);
  document.removeEventListener("click", onClick, true);
}

// Clicks that the page itself causes, for a link or a key, do not count.
/** @param {Event} event */
function onClick(event) {
  if (event.isTrusted) end();
}

/** @param {any} view of the trace */
function moveOnce(view) {
  const { goTo, length } = view.unrolled.steps();
  let step = 0;
  goTo(step);
  return setInterval(() => {
    step += 1;
    goTo(step < length() ? step : 0);
    if (step >= length() && current) clearInterval(current.timer);
  }, STEP_MILLISECONDS);
}

/** Explains the page in a band above the panes, which covers nothing, and moves the step when the trace is drawn. */
export async function introduce() {
  end();
  const view = await waitFor(VIEW, ({ unrolled, classList }) => Boolean(unrolled) && classList.contains("tv-filled"));
  const moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const list = make("ol", "", ...sentences(moving).map((sentence) => make("li", "", sentence)));
  const closing = make("p", "", t("Any key or click closes this; “?” shows it again."));
  const band = make("section", "fv-band", list, closing);
  band.setAttribute("aria-label", t("What you see"));
  band.setAttribute("role", "status");
  view.querySelector(".tv-panes").before(band);
  const introduction = { band, timer: undefined };
  current = introduction;
  document.addEventListener("keydown", end, true);
  document.addEventListener("click", onClick, true);
  await waitFor(VIEW, ({ dataset }) => Number(dataset.ready) > 0);
  if (moving && current === introduction) current.timer = moveOnce(view);
}

/**
 * Introduces the page to a new visitor. Where the browser can store nothing, every visit would look like the first.
 * @param {URL} address of the visit
 */
export async function startFirstVisit(address) {
  if (recall(KEY) || !isPlain(address, ownParameters())) return;
  remember(KEY, true);
  if (recall(KEY)) await introduce();
}
