// @ts-check
// The address that the visitor came by: opened when the page loads, and kept true while tabs change.
import { notice } from "../../link_notice/notice.js";
import { t } from "../../shared/translate.js";
import { startFirstVisit } from "../first_visit.js";
import { offered, there } from "../there.js";
import {
  currentAddress,
  decodeAddress,
  isInLesson,
  restoreLeft,
  resultOnShow,
  startAddress,
  tabOnShow,
  writeAddress,
} from "./address.js";
import { hidden, hide } from "./hide.js";
import { formOf, freshLink, isSecret, query, setPublicNames } from "./links.js";
import { withQuery } from "./query.js";
import { settings } from "./settings.js";
import { answered, askAgain, askToFill, isOutdated, openStep } from "./step_asked.js";

/** @import { CourseStep } from "../../lesson/view.js" */
/**
 * @typedef {object} Answer what the server says of the link, once it has filled in the controls
 * @property {string} tab
 * @property {string[]} names of checkpoints that everybody can open
 * @property {string[]} faults
 * @property {boolean} [fill] whether its tab has to be opened first, and asked for again
 * @property {boolean} [run] whether to press the button
 * @property {Record<string, any> | null} [view] how to look at the result
 * @property {string} [mode] of a comparison
 * @property {CourseStep | null} [lesson] and its step, which opened this
 */

const LOST = "unrolled-lost";
const LINKED = ["decode", "compare", "evaluate", "learn"]; // tabs that a link can carry; the others keep nothing

const arrived = new URL(globalThis.location?.href ?? "http://localhost/"); // as the visitor came
let onShow = "decode"; // the tab on show
let settled = false; // until then the page chooses its tab by itself
let opening = ""; // a tab that a link fills and runs

/** @param {string} name */
const wanted = (name) => arrived.searchParams.get(name) ?? "";

function firstTab() {
  if (wanted("run")) return "training";
  return Object.hasOwn(settings().parameters, wanted("tab")) ? wanted("tab") : "decode";
}

/**
 * Whether a link fills this tab: then it makes no result of its own.
 * @param {string} tab
 */
export const isOpening = (tab) => opening === tab;

/**
 * For the page that comes after this one. A frame may keep nothing.
 * @param {string} [value] nothing: forget it
 */
function remember(value) {
  try {
    const before = sessionStorage.getItem(LOST);
    if (value) sessionStorage.setItem(LOST, value);
    else sessionStorage.removeItem(LOST);
    return before;
  } catch {
    return null;
  }
}

/**
 * Loads the page anew with all that was typed and chosen. A checkpoint of the reader's own training is in no address:
 * the entry of the browser's history takes it along, and `restoreLeft` reads it there.
 * @param {string} name of a parameter of the page
 * @param {string} value
 */
export async function loadAgain(name, value) {
  const now = currentAddress();
  const fresh = !isInLesson() && LINKED.includes(onShow) ? await freshLink(onShow) : null;
  const url = new URL(fresh?.href ?? now);
  for (const [each, said] of now.searchParams) if (each.startsWith("__")) url.searchParams.set(each, said);
  url.searchParams.set(name, value);
  const { checkpoint = "", text = "", ...settings } = (fresh && onShow === "decode" && formOf("decode")) || {};
  if (isSecret(checkpoint)) {
    const isOlder = document.querySelector("#trace [data-stale=true]");
    const look = (!isOlder && resultOnShow()?.look) || {};
    const entry = { unrolled: { id: "", asked: { checkpoint, text, settings }, look } };
    writeAddress("replaceState", entry, withQuery(url.href, query("decode", {}, hidden())));
    window.location.reload();
    return;
  }
  if (fresh?.lost) remember("true");
  window.location.replace(url);
}

/**
 * Shows what the link wants to be seen.
 * @param {Answer} answer
 */
async function restore({ tab, run, view, mode, lesson }) {
  if (tab === "decode") {
    if (lesson && !run) document.dispatchEvent(new CustomEvent("unrolled:left"));
    if (run || view) (await offered("#trace .trace-view")).restore(view ?? {}, run);
    if (run) (await there("#run")).click();
  } else if (tab === "compare" && run) {
    (await offered("#comparison .compare")).restore(view ?? {});
    if (view?.opened) (await offered("#compare-trace .trace-view")).restore(view, true);
    (await there(`#compare-run-${mode}`)).click();
    opening = "";
  } else if (tab === "checkpoints" && view) (await offered("#gallery .gallery")).restore(view);
  else if (tab === "evaluate" && view) {
    (await offered("#evaluation .evaluation")).restore(view);
    opening = "";
  } else if (tab === "learn" && view?.lab) (await offered("#labs .labs")).restore(view);
}

/**
 * Opens the dock, unless it stands in this lesson already: then it has gone to the step by itself, before the answer
 * came, and the reader may have typed something meanwhile, or gone on.
 * @param {CourseStep} place
 */
async function openDock(place) {
  const { open: openAt } = await offered("aside.lesson");
  const { hidden: isClosed, dataset } = /** @type {HTMLElement} */ (document.querySelector("aside.lesson"));
  if (isClosed || dataset.lesson !== place.lesson) openAt(place).catch(console.error);
}

/**
 * The server has filled in the controls and says what else the link wants.
 * @param {Answer | null} answer nothing: there is none, or the question failed
 */
export async function open(answer) {
  answered();
  if (!answer) return;
  if (isOutdated(answer.lesson)) return askAgain();
  if (!answer.fill && openStep()) return;
  settled = true;
  setPublicNames(answer.names);
  const left = remember()
    ? [t("Not kept: a large picture, a checkpoint of your own training, a replaced attention, or too many edits.")]
    : [];
  notice([...left, ...answer.faults]).catch(console.error);
  // A visitor who has chosen a tab by now stays there, as does a page that the link of a run has opened.
  if (answer.lesson && answer.fill) opening = answer.tab; // it makes no result of its own
  const elsewhere = answer.lesson ? tabOnShow() !== answer.tab : answer.tab !== "decode" && onShow === "decode";
  if (elsewhere) (await there(`[role=tablist] [data-tab-id="${answer.tab}"]`)).click();
  if (answer.lesson && !answer.fill) await openDock(answer.lesson);
  if (!answer.lesson && !(answer.tab === "decode" && answer.run)) restoreLeft().catch(console.error);
  if (!answer.fill) return restore(answer);
  await Promise.all([
    offered("#comparison .compare"),
    there("#compare-strategies .sp[data-ready]"),
    there("#compare-run-strategies"),
  ]);
  if (isOutdated(answer.lesson)) opening = "";
  else await askToFill(answer.lesson ?? undefined);
}

/**
 * Reload stays in the tab; back in the first one, the address is again what the visitor came by, or that of the
 * result on show.
 * @param {string} tab
 */
export function enter(tab) {
  if (!settled || isInLesson()) return;
  const now = currentAddress();
  const own = tab === "decode" ? decodeAddress() : null;
  const url = new URL(own ?? arrived);
  if (!own && tab !== firstTab()) {
    for (const name of [...url.searchParams.keys()])
      if (!name.startsWith("__") && name !== "hide") url.searchParams.delete(name);
    url.searchParams.set("tab", tab);
  }
  const theme = now.searchParams.get("__theme");
  if (theme) url.searchParams.set("__theme", theme);
  if (url.href !== now.href) writeAddress("replaceState", window.history.state, url.href);
}

// A narrow phone shows a part of the row of tabs. To scroll the row alone leaves the page where it is.
function showTab() {
  const tab = /** @type {HTMLElement | null} */ (document.querySelector("#tabs [role=tab][aria-selected=true]"));
  const row = tab?.parentElement;
  if (tab && row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// Whoever chooses a tab: the visitor, a button of another tab, a link.
function followTabs() {
  const chosen = tabOnShow();
  if (chosen && chosen !== onShow) {
    enter(chosen);
    showTab();
    document.dispatchEvent(new CustomEvent("unrolled:tab"));
  }
  onShow = chosen ?? onShow;
}

/** Begins to follow the page. */
export function startVisit() {
  hide(
    wanted("hide")
      .split(",")
      .map((name) => name.trim()),
  );
  startAddress();
  startFirstVisit(arrived).catch(console.error);
  const first = firstTab();
  const asks = [...arrived.searchParams.keys()].some((name) => settings().parameters[first]?.includes(name));
  if (["compare", "evaluate"].includes(first) && asks) opening = first;
  new MutationObserver(followTabs).observe(document.documentElement, {
    subtree: true,
    attributeFilter: ["aria-selected"],
  });
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target).closest("button");
    const dismissed = /** @type {HTMLElement | null | undefined} */ (button?.closest(".link-notice"));
    if (dismissed) dismissed.hidden = true;
    if (button?.closest(".link-hidden")) hide([]);
  });
}
