// @ts-check
// Wiring: each value is the current state of the run; the reader's choices, zoom and folds stay.
import { loadPlotly } from "../../widgets/charts/plotly.js";
import { find, make, makeFact, setText } from "../../widgets/view/dom.js";
import { numberText, wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { createRunCurves, createRunFiles } from "./curves.js";
import { makeRow, nearest, whenNew } from "./parts.js";
import { createRunProbe } from "./probe.js";
import { createRunSamples, createTaught } from "./samples.js";
import { createScrubber } from "./scrubber.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

const REST_SECONDS = 3; // between two checks whether a resting run still rests

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".run-view");
  const plotly = () => loadPlotly(props.plotly_source);

  const run = {
    payload: /** @type {any} */ (null),
    at: 0, // index of the current snapshot
    following: true,
    snapshots: () => run.payload?.snapshots ?? [],
    current: () => run.snapshots()[run.at] ?? null,
  };
  const status = createRunStatus(root);
  const taught = createTaught(root);
  const scrubber = createScrubber(root, run, showSnapshot);
  const curves = createRunCurves(root, run, plotly, scrubber.goNear);
  const probe = createRunProbe(root, run, plotly);
  const samples = createRunSamples(root, run);
  createRunFiles(root, run, { ...curves.charts, attention: probe.chart });
  const table = find(root, ".rv-numbers tbody");
  const nothing = find(root, ".rv-empty");
  const none = nothing.textContent ?? "";

  const report = (error) => {
    if (window.Plotly) console.error(error);
  };

  function showSnapshot() {
    samples.update();
    probe.update().catch(report);
    curves.moveMarks();
    markRow();
  }

  function markRow() {
    for (const [at, row] of [...table.children].entries()) row.classList.toggle("rv-on", at === run.at);
  }

  const drawTable = whenNew((rows) =>
    table.replaceChildren(...rows.map((values) => makeRow(...values.map((value) => make("td", "", value))))),
  );

  function fillTable() {
    const formatted = (value, digits = 3) => (value === null ? "–" : numberText(value, digits));
    const rows = run.snapshots().map(({ step, train, loss, best, bleu, exact }) => {
      const losses = [formatted(train), `${formatted(loss)}${best ? ` (${t("best")})` : ""}`];
      return [wholeText(step), ...losses, formatted(bleu, 1), exact === null ? "–" : `${formatted(exact, 1)}%`];
    });
    drawTable(rows);
    markRow();
  }

  // The index in another list of snapshots: the newest, or that nearest to the reader's step.
  function indexIn(next, step) {
    return Math.max(0, run.following || step === null ? next.snapshots.length - 1 : nearest(next.snapshots, step));
  }

  function adopt(next) {
    if (next.id !== run.payload?.id) {
      scrubber.stop();
      curves.reset();
      run.following = !next.status.recorded; // a recorded run is watched from its beginning
      run.at = run.following ? indexIn(next, null) : 0;
    } else run.at = indexIn(next, run.current()?.step ?? null);
    run.payload = next;
  }

  async function load() {
    if (scrubber.isHeld()) return; // it would move the slider under the pointer; `onRelease` loads again
    const value = props.value ? JSON.parse(props.value) : null;
    const next = value && !value.gone ? value : null;
    root.dataset.gone = String(Boolean(value?.gone));
    if (!next) setText(nothing, value?.gone ?? none);
    root.dataset.state = next?.status.state ?? "none";
    root.dataset.run = next?.id ?? "";
    root.dataset.recorded = String(next?.status.recorded ?? false);
    if (!next) {
      scrubber.stop();
      Object.assign(run, { payload: /** @type {any} */ (null), at: 0, following: true });
      root.dataset.step = "";
      return;
    }
    adopt(next);
    root.classList.toggle("rv-begun", next.status.step > 0);
    root.classList.toggle("rv-evaluated", next.snapshots.length > 0);
    status.load(next);
    taught.load(next);
    scrubber.update();
    samples.update();
    fillTable();
    try {
      await Promise.all([curves.load(), probe.update()]);
      if (run.payload === next) root.dataset.ready = String(Number(root.dataset.ready) + 1);
    } catch (error) {
      report(error);
    }
  }

  // Another browser may resume or remove a resting run, so the page checks while it is visible.
  setInterval(() => {
    if (!run.payload || run.payload.status.active || document.hidden || !root.checkVisibility()) return;
    trigger("rest", run.payload.mark);
  }, 1000 * REST_SECONDS);

  scrubber.onRelease(load);
  root.setAttribute("aria-label", props.label || t("Training run"));
  watch("value", load);
  load();
}

// The strip at the top: state, progress, figures, notices, and the reason of a failure.
function createRunStatus(root) {
  const part = (name) => find(root, `.rv-${name}`);
  const [title, state, message, steps, percent] = ["title", "state", "message", "steps", "percent"].map(part);
  const [facts, recipe, notices, failure] = ["facts", "recipe", "notices", "failure"].map(part);
  const [reason, advice, log] = ["reason", "advice", "log"].map(part);
  const bar = find(root, ".rv-bar", HTMLProgressElement);

  const drawFacts = whenNew((pairs) => facts.replaceChildren(...pairs.map(([label, value]) => makeFact(label, value))));
  const drawNotices = whenNew((texts) => notices.replaceChildren(...texts.map((text) => make("li", "", text))));

  function load({ title: name, status }) {
    setText(title, name);
    setText(state, status.words);
    setText(message, status.message);
    bar.value = status.share;
    setText(steps, status.progress);
    setText(percent, status.percent);
    drawFacts(status.facts);
    drawNotices(status.notices);
    notices.hidden = !status.notices.length;
    setText(recipe, status.recipe.join(" · "));
    setText(reason, status.reason);
    setText(find(log, "pre"), status.log);
    log.hidden = !status.log;
    failure.hidden = !status.reason && !status.log;
    setText(advice, status.advice);
  }

  return { load };
}
