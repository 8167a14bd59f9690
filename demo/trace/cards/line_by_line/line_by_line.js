// @ts-check
// The listing of a search with its current line, and the candidates of the step below it. The tree and the other cards
// follow the line, and the line follows what a reader chooses there.
import { elementOf, find, findAll, isEnter, make, setText } from "../../../widgets/view/dom.js";
import { clamp, wholeText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { createCandidates } from "./candidates.js";
import { MAX_EVENTS } from "./evaluate.js";
import { createRun } from "./run.js";
import { createVariables, revealWithin } from "./variables.js";

/** @import { CreateCard, Model } from "../../trace_card.js" */
/** @import { Listing, Run } from "./run.js" */

const KEYWORDS = /\b(def|for|in|while|if|elif|else|not|and|or|break|return)\b/; // the words of Python
const FIRST_VALUES = { entropy: "1", lost: "" }; // stops that need a number or a word

/** @param {string} code is shown with Python's words in bold letters, and half as far indented */
function lineOf(code) {
  const parts = code.trim().split(KEYWORDS);
  const line = make("code", "", ...parts.map((part, index) => (index % 2 ? make("b", "", part) : part)));
  line.style.setProperty("--indent", `${(code.length - code.trimStart().length) / 2}ch`);
  return make("li", "", line);
}

/** @type {CreateCard} */
export function create(view, card) {
  const { selection } = view;
  const { state } = selection;
  const candidates = createCandidates(view, card);
  const [box, says, listing, count] = findAll(card, ".tv-lines", ".tv-line-says", ".tv-listing", ".tv-line-count");
  const [back, on, step, runOn] = findAll(card, ".tv-line-back", ".tv-line-on", ".tv-step-on", ".tv-run");
  const stopChoice = find(card, ".tv-until");
  const stop = find(stopChoice, "select", HTMLSelectElement);
  const stopValue = find(card, ".tv-until-value", HTMLInputElement);
  /** @type {Run | null} */
  let run = null;
  /** @type {Model | null} */
  let executed = null; // the trace of the run
  let position = 0; // the index of the current line among those executed
  let until = ""; // where the reader has let it run to
  /** @type {ReturnType<typeof createVariables> | undefined} */
  let variables;

  // Executes the listing of a trace when it is first seen, or when a link names one of its lines.
  function prepare() {
    if (executed === state.model) return;
    [executed, run, position, until] = [state.model, null, 0, ""];
    const content = /** @type {Listing | null} */ (executed.payload.listing ?? null);
    try {
      run = content && createRun(executed, content);
    } catch (error) {
      console.error(error); // a trace of another program may lack what its search has ranked
    }
    box.hidden = !run;
    if (!run || !content) return;
    variables = createVariables(find(card, ".tv-variables"), run);
    listing.replaceChildren(...content.lines.map(({ code }) => lineOf(code)));
    const before = stop.value;
    const offered = Object.entries(run.stops).filter(([, { offered }]) => offered);
    stop.replaceChildren(...offered.map(([name, { text }]) => new Option(text, name, false, name === before)));
    askValue();
    for (const control of [stopChoice, runOn]) control.hidden = !offered.length;
    draw();
  }

  function askValue() {
    const first = FIRST_VALUES[/** @type {keyof typeof FIRST_VALUES} */ (stop.value)];
    stopValue.hidden = first === undefined;
    if (stopValue.dataset.stop !== stop.value) [stopValue.value, stopValue.dataset.stop] = [first ?? "", stop.value];
    stopValue.ariaLabel = stop.selectedOptions[0]?.textContent ?? "";
  }

  /** @param {string} [remark] follows the sentence of the line */
  function draw(remark = "") {
    if (!run) return;
    const { events, after } = run;
    const { line, scope } = events[position];
    for (const [index, item] of [...listing.children].entries()) {
      const isCurrent = index === line - 1;
      item.classList.toggle("tv-on", isCurrent);
      if (isCurrent) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      if (isCurrent) revealWithin(listing, /** @type {HTMLElement} */ (item));
    }
    setText(says, `${run.sentence(position)} ${remark}`.trim());
    setText(count, t("{at} of {length} lines run", { at: wholeText(position + 1), length: lengthText() }));
    variables?.show(after(position), scope);
    back.setAttribute("aria-disabled", String(position <= 0));
    for (const button of [on, step]) button.setAttribute("aria-disabled", String(position >= events.length - 1));
  }

  const lengthText = () => {
    const length = run?.events.length ?? 0;
    return length < MAX_EVENTS ? wholeText(length) : t("more than {most}", { most: wholeText(MAX_EVENTS) });
  };

  /** @param {number} index @param {string} [remark] */
  function goTo(index, remark) {
    if (!run || executed !== state.model) return; // another trace may have come that is not drawn yet
    position = clamp(index, 0, run.events.length - 1);
    draw(remark);
    box.dispatchEvent(new Event("change", { bubbles: true })); // the address has the line
    const { node, step: wanted } = run.focus(position);
    if (node) selection.chooseNode(node.id);
    else if (!isThere()) {
      if (state.hypothesis < 0) selection.chooseHypothesis(0);
      selection.goTo(wanted);
    }
  }

  /** Whether the page shows what the current line is about. */
  function isThere() {
    if (!run) return true;
    const { node, step: wanted } = run.focus(position);
    if (node) return node === selection.current();
    return state.step === (state.hypothesis < 0 ? wanted : clamp(wanted, 0, state.path.length - 1));
  }

  function follow() {
    const node = selection.current();
    if (!run || !node || isThere()) return;
    const index = run.locate(node);
    if (index < 0) return;
    position = index;
    draw();
  }

  function runUntil(from = position) {
    if (!run?.stops[stop.value]) return;
    const [name, value] = [stop.value, stopValue.value.trim().replace(",", ".")];
    if (name === "lost" && !value) return draw(t("Type a word."));
    if (name === "entropy" && !(Number(value) >= 0 && value)) return draw(t("Type a number."));
    until = stopValue.hidden ? name : `${name}:${stopValue.value}`;
    const index = run.until(from, name, name === "lost" ? stopValue.value : value);
    if (index < 0) draw(t("No further line does that."));
    else goTo(index, run.stops[name].why?.(index));
  }

  listing.addEventListener("click", (event) => {
    const line = elementOf(event).closest("li");
    if (line && run) goTo(run.runTo(position, [...listing.children].indexOf(line) + 1));
  });
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowUp: () => goTo(position - 1),
    ArrowDown: () => goTo(position + 1),
    PageUp: () => run && goTo(run.step(position, -1)),
    PageDown: () => run && goTo(run.step(position, 1)),
    Home: () => goTo(0),
    End: () => run && goTo(run.events.length - 1),
  };
  box.addEventListener("keydown", (event) => {
    const action = event.target instanceof HTMLInputElement || event.target === stop ? undefined : keys[event.key];
    if (isEnter(event) && event.target === stopValue) runUntil();
    if (!action || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere these keys choose another step or candidate
    action();
  });
  back.addEventListener("click", keys.ArrowUp);
  on.addEventListener("click", keys.ArrowDown);
  step.addEventListener("click", keys.PageDown);
  runOn.addEventListener("click", () => runUntil());
  stop.addEventListener("change", askValue);

  return {
    load: candidates.load,
    update: candidates.update,
    async draw() {
      prepare();
      follow();
    },
    async follow(change) {
      if (change === "path" || change === "step") follow();
    },
    read() {
      if (!run || executed !== state.model || !position || !card.classList.contains("tv-open")) return {};
      return { line: position + 1, ...(until && { until }) };
    },
    restore({ values, faults, valueUpTo }) {
      if (values.line === undefined && values.until === undefined) return;
      prepare();
      if (!run) return faults.push(t("This result has no lines of code, as the link asks."));
      const [name, ...rest] = (values.until ?? stop.value).split(":");
      if (values.until === undefined) askValue();
      else if (run.stops[name]?.offered) {
        stop.value = name;
        askValue();
        if (rest.length) stopValue.value = rest.join(":");
      } else faults.push(t("This search cannot run until “{stop}”, as the link asks.", { stop: name }));
      const line = valueUpTo("line", run.events.length);
      if (line !== null) goTo(line);
      else if (values.line === undefined && stop.value === name) runUntil(0);
      if (stop.value === name) until = values.until ?? "";
    },
    reveal() {
      const line = listing.querySelector("[aria-current]");
      if (line) revealWithin(listing, /** @type {HTMLElement} */ (line));
    },
  };
}
