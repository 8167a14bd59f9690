// @ts-check
// Wiring: one selection and the cards that follow it; a new value or the reader changes it.
import { notice } from "../links/notice/view.js";
import { createWork } from "../widgets/answers/begun_work.js";
import { loadPlotly } from "../widgets/charts/plotly.js";
import { find, setText } from "../widgets/view/dom.js";
import { reachWhileScrolling } from "../widgets/view/scrolling.js";
import { t } from "../widgets/view/translate.js";
import { createFigureCard } from "./cards/figures/figure_card.js";
import { createEdits } from "./cards/versions/edits.js";
import { createVersions } from "./cards/versions/versions.js";
import { createDownloads } from "./export/downloads.js";
import { createLinkState } from "./link_state.js";
import { createPanes } from "./panes/panes.js";
import { createVisibleCharts } from "./panes/visibility.js";
import { createSelection } from "./reading/selection.js";
import { readTrace } from "./reading/trace.js";

/** @import { Mount } from "../widgets/view/mount.js" */
/** @import { Card, CardModule, Change, Shown, TracePayload, View } from "./trace_card.js" */

const ANNOUNCED_MILLISECONDS = 300; // pause after the reader's last move
const PAINTED_MILLISECONDS = 100; // the longest wait

/** @type {(view: View, modules: Record<string, CardModule>) => Map<HTMLElement, Card>} modules: by their path */
function createCards(view, modules) {
  /** @type {Map<HTMLElement, Card>} */
  const cards = new Map();
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (view.root.querySelectorAll("[data-card]"))) {
    const module = modules[element.dataset.script ?? ""];
    if (module?.create) cards.set(element, module.create(view, element));
    else if (element.querySelector("[data-figure]"))
      cards.set(element, createFigureCard(view, element, module?.follow?.(view)));
  }
  return cards;
}

// Output and stepper are painted before the charts are drawn; a page in the background paints nothing.
const nextPaint = () =>
  new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, PAINTED_MILLISECONDS);
  });

/** @param {() => void} task for the reader's last move */
function afterPause(task) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(task, ANNOUNCED_MILLISECONDS);
  };
}

/** @type {Mount} */
export function mount(element, props, watch, trigger, server, modules) {
  const root = find(element, ".trace-view");
  const plotly = () => loadPlotly(props.plotly_source);

  const selection = createSelection(onChange);
  const work = createWork();
  const edits = createEdits(root, selection, {
    ask: (edit) => ask(() => server.begin_edit(edit)),
    receive,
    refuse,
    editable: Boolean(props.editable && server),
  });
  const versions = createVersions(root, show);
  const elements = createCards({ root, selection, plotly, edits, server: server ?? {} }, modules);
  const cards = [...elements.values()];
  const charts = createVisibleCharts(elements, drawCharts);
  const panes = createPanes(root);
  const decoding = {
    /** @param {unknown[]} values @param {(progress: string) => void} onProgress */
    decode(values, onProgress) {
      edits.leave();
      return ask(() => server.begin_decoding(values), onProgress);
    },
    leave() {
      edits.leave();
      work.leave();
      server.leave_decoding?.(); // the page without a server has no stream that could be closed
    },
    refuse: (/** @type {string} */ reason) => trigger("error", reason),
  };
  const onRestored = () => dispatchShown("restored");
  const link = createLinkState(root, selection, { versions, edits, cards, panes, showFaults: notice, onRestored });
  Object.assign(root, { unrolled: { ...link, result, reopen, receive, steps, ...decoding } }); // the page's script calls these
  const { drawIfOutdated: drawn } = charts;
  createDownloads(root, selection, elements, { server, plotlySource: props.plotly_source, drawn });
  root.setAttribute("aria-label", props.label || t("Decoding"));
  const scrollers = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".tv-pane-body"));
  scrollers.forEach(reachWhileScrolling);

  let charted = Promise.resolve(); // resolves when the charts are drawn; one change is drawn after the other
  const announceSoon = afterPause(announce);
  const dispatchViewChange = afterPause(() => dispatchShown("view"));

  /** @type {typeof work.ask} */
  const ask = (begin, onProgress) =>
    work.ask(begin, onProgress).catch((error) => {
      console.error(error);
      return { refused: t("The server did not answer. Try again.") };
    });

  /** @param {string} reason of a refused edit; another one may be requested then */
  function refuse(reason) {
    if (reason) trigger("error", reason); // Gradio shows it as a message
    link.onRefusal();
  }

  /** @param {() => any} task */
  function drawCharts(task) {
    charted = charted.then(task).catch(console.error);
  }

  /** @param {Change} change */
  function onChange(change) {
    for (const card of cards) card.update?.(change);
    mark();
    drawCharts(async () => {
      if (selection.state.path.length) await charts.follow(change);
    });
    announceSoon();
    dispatchViewChange();
  }

  /** @param {"result" | "view" | "restored"} what has changed, for the page's script */
  function dispatchShown(what) {
    root.dispatchEvent(new CustomEvent("unrolled:shown", { bubbles: true, detail: what }));
  }

  function announce() {
    const { step, hypothesis } = selection.state;
    const node = selection.current();
    if (node) trigger("select", { step, node: node.id, hypothesis });
  }

  function mark() {
    const { state } = selection;
    const node = selection.current();
    Object.assign(root.dataset, { step: state.step, node: node ? node.id : "", hypothesis: state.hypothesis });
    const sentences = state.model.payload.captions;
    for (const caption of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-caption]"))) {
      const sentence = sentences[caption.dataset.caption ?? ""];
      setText(caption, (Array.isArray(sentence) ? sentence[state.hypothesis] : sentence) ?? "");
    }
  }

  function load() {
    const text = props.value?.slice(props.value.indexOf("\n") + 1); // the first line makes equal answers differ
    if (text) return receive(JSON.parse(text));
    versions.clear();
    show({ model: null });
  }

  /** @param {TracePayload} payload */
  function receive(payload) {
    root.dispatchEvent(new CustomEvent("unrolled:answered", { bubbles: true }));
    const model = readTrace(payload);
    const before = selection.state.model?.payload.trace.source_text;
    const joins = versions.arrive(model, edits.forcedStep());
    if (payload.trace.source_text !== before) for (const scroller of scrollers) scroller.scrollTop = 0;
    show(versions.current());
    if (joins && versions.count() === 2) showEdit();
    if (!selection.state.path.length) return;
    dispatchShown(joins ? "view" : "result");
    link.onArrival();
  }

  // Opens the tab that compares edits; later edits leave the reader where they work.
  function showEdit() {
    panes.open("versions");
    const focus = document.activeElement;
    if (focus && root.contains(focus) && !focus.checkVisibility()) find(root, '[data-tab="versions"]').focus();
  }

  /** The current result, to be stored. */
  function result() {
    const { trace, options, constraints, strategy, checkpoint } = versions.original().payload;
    const language = document.documentElement.lang;
    const labels = { checkpoint, strategy, constraints: constraints ?? [], edits: versions.edits(), language };
    return {
      request: { checkpoint: trace.checkpoint, text: trace.source_text, settings: options },
      labels: { ...labels, output: selection.state.model.hypotheses[0]?.text ?? "" },
      versions: versions.history(),
    };
  }

  /** Functions to move the step without the reader. */
  function steps() {
    return { goTo: selection.goTo, length: () => selection.state.path.length };
  }

  /** @type {(history: import("./cards/versions/versions.js").VersionHistory, view: Record<string, any>) => void} */
  function reopen(history, { forced: _, version: __, stored: ___, ...view }) {
    versions.reopen(history);
    link.restore(view);
  }

  /** @param {Shown} version */
  function show(version) {
    const { model } = version;
    selection.load(version);
    const filled = Boolean(model && selection.state.path.length);
    root.classList.toggle("tv-filled", filled);
    root.classList.toggle("tv-normalised", Boolean(model?.normalised));
    if (!model || !filled) return;
    edits.load();
    for (const card of cards) card.load?.(model);
    mark();
    charts.outdate();
    panes.draw();
    drawCharts(async () => {
      await nextPaint();
      if (selection.state.model !== model) return;
      await charts.draw();
      if (selection.state.model === model) root.dataset.ready = String(Number(root.dataset.ready) + 1);
    });
  }

  // Controls of a card change its view too.
  for (const kind of ["change", "click"]) root.addEventListener(kind, dispatchViewChange);
  watch("value", load);
  load();
}
