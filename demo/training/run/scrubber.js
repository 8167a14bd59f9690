// @ts-check
// Previous, play, next, slider and keys for the evaluations of a run; it follows the newest until the reader moves it.
import { find, findAll, setText } from "../../widgets/view/dom.js";
import { clamp, wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { nearest } from "./parts.js";

const PLAY_SECONDS = 12; // the time of a whole run, within the limits of one evaluation
const PLAY_LIMITS = { least: 80, most: 500 }; // milliseconds

export function createScrubber(root, run, changed) {
  const parts = ["previous", "play", "following", "at", "follow"].map((name) => `.rv-${name}`);
  const [previous, play, next, position, follow] = findAll(root, ...parts);
  const range = find(root, ".rv-range", HTMLInputElement);
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  let dragged = false;
  let onRelease = () => {};

  const last = () => run.snapshots().length - 1;

  function stop() {
    clearInterval(timer);
    timer = undefined;
    play.setAttribute("aria-label", t("Play"));
    play.dataset.playing = "false";
  }

  function goTo(index) {
    run.at = clamp(index, 0, Math.max(0, last()));
    run.following = run.at === last();
    update();
    changed();
  }

  function start() {
    if (run.at >= last()) goTo(0);
    play.setAttribute("aria-label", t("Pause"));
    play.dataset.playing = "true";
    timer = setInterval(
      () => {
        goTo(run.at + 1);
        if (run.at >= last()) stop();
      },
      clamp((1000 * PLAY_SECONDS) / Math.max(1, last()), PLAY_LIMITS.least, PLAY_LIMITS.most),
    );
  }

  const move = (index) => {
    stop();
    goTo(index);
  };
  const toggle = () => (timer ? stop() : start());

  function goNear(step) {
    if (run.snapshots().length) move(nearest(run.snapshots(), step));
  }

  previous.addEventListener("click", () => move(run.at - 1));
  next.addEventListener("click", () => move(run.at + 1));
  play.addEventListener("click", toggle);
  range.addEventListener("input", () => move(Number(range.value) - 1));
  follow.addEventListener("click", () => {
    move(last());
    range.focus();
  });
  range.addEventListener("pointerdown", () => {
    dragged = true;
  });
  for (const name of ["pointerup", "pointercancel"])
    window.addEventListener(name, () => {
      if (!dragged) return;
      dragged = false;
      onRelease();
    });

  root.addEventListener("keydown", (event) => {
    if (!run.snapshots().length || event.altKey || event.ctrlKey || event.metaKey) return;
    const { target } = event;
    if (target.matches("select, textarea, pre, summary, .tv-scroll") || (target.matches("input") && target !== range))
      return;
    const actions = {
      ArrowLeft: () => move(run.at - 1),
      ArrowRight: () => move(run.at + 1),
      Home: () => move(0),
      End: () => move(last()),
      " ": toggle,
    };
    const action = actions[event.key];
    if (!action || (event.key === " " && target.matches("button"))) return;
    event.preventDefault();
    action();
  });

  function update() {
    const snapshot = run.current();
    if (!snapshot) return;
    const { total, active } = run.payload.status;
    const text = total
      ? t("step {at} of {length}", { at: wholeText(snapshot.step), length: wholeText(total) })
      : t("step {step}", { step: wholeText(snapshot.step) });
    range.max = String(last() + 1);
    range.value = String(run.at + 1);
    range.setAttribute("aria-valuetext", `${text}${snapshot.best ? `, ${t("the best so far")}` : ""}`);
    setText(position, `${text}${snapshot.best ? ` (${t("best")})` : ""}`);
    // Not `disabled`, which would lose the focus and with it the arrow keys at either end.
    previous.setAttribute("aria-disabled", String(run.at <= 0));
    next.setAttribute("aria-disabled", String(run.at >= last()));
    setText(follow, active ? t("Follow live") : t("Newest"));
    follow.dataset.hidden = String(run.following);
    root.dataset.step = String(snapshot.step);
    root.dataset.following = String(run.following);
  }

  return {
    update,
    stop,
    goNear,
    isHeld: () => dragged,
    onRelease: (task) => {
      onRelease = task;
    },
  };
}
