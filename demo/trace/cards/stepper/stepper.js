// @ts-check
// Previous, play, next and slider, with keys that work in the whole view; two of them also on the whole page. The
// slider is the only tab stop: the arrow keys step, and Space plays.
import { find, findAll, make, makeToken } from "../../../widgets/view/dom.js";
import { clamp } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { groupAt, merging, pathGroups, pathWord } from "../../reading/words.js";

/** @import { CreateCard } from "../../trace_card.js" */

const PLAY_INTERVAL = 900; // milliseconds a step
// Elements outside the view that use the arrow keys themselves.
const HAS_ARROW_KEYS =
  "input, select, textarea, [contenteditable], .trace-view, [role=application], [role=dialog], [role=listbox]," +
  " [role=menu], [role=radiogroup], [role=slider], [role=tablist]";

/** @type {CreateCard} */
export function create({ root, selection }, card) {
  const [previous, play, following, status] = findAll(card, ".tv-previous", ".tv-play", ".tv-following", ".tv-status");
  const range = find(card, ".tv-range", HTMLInputElement);
  const { state } = selection;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;

  function stop() {
    clearInterval(timer);
    timer = undefined;
    play.ariaLabel = t("Play");
    play.dataset.playing = "false";
    status.setAttribute("aria-live", "polite");
  }

  function start() {
    if (groupAt(groups(), state.step) >= groups().length - 1) selection.goTo(0);
    play.setAttribute("aria-label", t("Pause"));
    play.dataset.playing = "true";
    status.setAttribute("aria-live", "off"); // a screen reader could not keep up
    timer = setInterval(() => {
      selection.goTo(movedStep(1));
      if (groupAt(groups(), state.step) >= groups().length - 1) stop();
    }, PLAY_INTERVAL);
  }

  // A step is a token, or a word while words are merged; a word's step is that of its first piece.
  const groups = () => pathGroups(state);
  const movedStep = (offset) => {
    const all = groups();
    const next = all[clamp(groupAt(all, state.step) + offset, 0, all.length - 1)];
    return next ? next[0] : 0;
  };

  const toggle = () => (timer ? stop() : start());
  const move = (step) => {
    stop();
    selection.goTo(step);
  };
  previous.addEventListener("click", () => move(movedStep(-1)));
  following.addEventListener("click", () => move(movedStep(1)));
  play.addEventListener("click", toggle);
  range.addEventListener("input", () => move(groups()[Number(range.value) - 1][0]));
  document.addEventListener("keydown", (event) => {
    const isInside = event.target instanceof Node && root.contains(event.target);
    if (isInside || stepsFromOutside(event, root)) onKey(event, { state, selection, move, movedStep, toggle, stop });
  });

  function update() {
    const all = groups();
    const { length } = all;
    const index = groupAt(all, state.step);
    const node = selection.current();
    range.max = String(Math.max(1, length));
    range.value = String(index + 1);
    // `disabled` would lose the focus, and with it the arrow keys at either end.
    previous.setAttribute("aria-disabled", String(index <= 0));
    following.setAttribute("aria-disabled", String(index >= length - 1));
    const label = node ? pathWord(state, all[index]) : "";
    const count = { at: index + 1, length };
    const position = merging(state) ? t("word {at} of {length}:", count) : t("step {at} of {length}:", count);
    const lead = node ? `${position} ` : "";
    const text = `${lead}${label}`;
    if (status.textContent !== text) status.replaceChildren(make("span", "", lead), makeToken("b", "", label));
    range.setAttribute("aria-valuetext", text);
  }

  return {
    load() {
      stop();
      update();
    },
    update,
  };
}

/** @type {(event: KeyboardEvent, root: HTMLElement) => boolean} whether a key outside the view steps; others scroll */
function stepsFromOutside(event, root) {
  if (event.defaultPrevented || !["ArrowLeft", "ArrowRight"].includes(event.key)) return false;
  return root.checkVisibility() && !(event.target instanceof Element && event.target.closest(HAS_ARROW_KEYS));
}

function onKey(event, { state, selection, move, movedStep, toggle, stop }) {
  if (!state.model || event.altKey || event.ctrlKey || event.metaKey) return;
  const { target } = event;
  if (target.matches("select, textarea, [contenteditable], input:not(.tv-range, [type=checkbox])")) return;
  const inList = target.closest(".tv-hypotheses");
  const vertical = (offset) => {
    stop();
    if (inList) selection.chooseHypothesis(state.hypothesis + offset);
    else selection.chooseRank(offset);
  };
  const actions = {
    ArrowLeft: () => move(movedStep(-1)),
    ArrowRight: () => move(movedStep(1)),
    Home: () => move(0),
    End: () => move(state.path.length - 1),
    ArrowUp: () => vertical(-1),
    ArrowDown: () => vertical(1),
    " ": toggle,
  };
  const action = actions[event.key];
  // Space presses the button or box with the focus.
  if (!action || (event.key === " " && target.matches("button, input[type=checkbox]"))) return;
  event.preventDefault();
  action();
  if (inList && event.key.startsWith("Arrow")) inList.querySelector("[aria-pressed=true]")?.focus();
}
