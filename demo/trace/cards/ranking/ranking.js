// @ts-check
// Ranks the finished hypotheses by another length penalty, in the browser, and draws the scores against it.
import { createChart } from "../../../widgets/charts/charts.js";
import { plotlyText } from "../../../widgets/charts/plotly.js";
import { tsvText } from "../../../widgets/exports/files.js";
import { find, findAll, isHidden, targetOf } from "../../../widgets/view/dom.js";
import { clamp, numberText, sortedIndices } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { hypothesesTable } from "../../reading/tables.js";
import { createHypotheses } from "./hypotheses.js";

/** @import { CreateCard, Hypothesis } from "../../trace_card.js" */
/** @typedef {"none" | "power" | "gnmt"} Kind of a normaliser, as in `models/decoding/search/length_normalizer.py` */
/** @typedef {{ kind: Kind, alpha: number }} Normalizer */

/**
 * The base that is raised to the power of alpha, by the length in tokens, the end token included.
 * @type {Record<Kind, (length: number) => number>}
 */
export const LENGTH_BASES = { none: () => 1, power: (length) => length, gnmt: (length) => (5 + length) / 6 };

/** @type {CreateCard} */
export function create(view, card) {
  const { root, selection, plotly } = view;
  const form = find(card, "form", HTMLFormElement);
  const slider = find(card, "input[type=range]", HTMLInputElement);
  const reset = find(card, ".tv-reset", HTMLButtonElement);
  const [readout, caption] = findAll(card, "output", ".tv-scores-caption");
  const list = find(root, "[data-card=hypotheses]"); // the list that this card orders
  const [title, verdict] = findAll(list, ".tv-ranking-title", ".tv-verdict");
  const hypotheses = createHypotheses(view, list);
  const chart = createChart(root, find(card, ".tv-scores"), plotly);
  const { state } = selection;
  /** @type {Normalizer} */
  let now = { kind: "none", alpha: 0 }; // the search's setting until the reader chooses another
  let moved = false; // whether the reader has chosen another setting
  let waiting = 0; // animation frame in which the marks are moved

  const rankingData = () => state.model.payload.ranking; // null if there is nothing to rank
  /** @returns {Normalizer} */
  const searchRanking = () => ({ kind: rankingData()?.kind ?? "none", alpha: rankingData()?.alpha ?? 0 });
  /** @param {Hypothesis} hypothesis */
  const base = (hypothesis) => LENGTH_BASES[now.kind](hypothesis.token_ids.length);

  /** @param {Normalizer} search */
  const isOwn = ({ kind, alpha }) => now.kind === kind && Math.abs(now.alpha - alpha) < 1e-9;

  function scoresNow() {
    const { hypotheses } = state.model;
    return isOwn(searchRanking())
      ? hypotheses.map(({ score }) => score)
      : hypotheses.map((hypothesis) => hypothesis.log_prob / base(hypothesis) ** now.alpha);
  }

  function rankNow() {
    const scores = scoresNow();
    const order = sortedIndices(scores);
    const usual = order.every((index, rank) => index === rank);
    if (usual && isOwn(searchRanking())) moved = false; // the slider is back where the search had it
    hypotheses.rank(...currentRanking());
    list.classList.toggle("tv-reranked", moved);
    const unmoved = usual ? t("Hypotheses, best score first") : t("Hypotheses in the search's own order");
    title.textContent = moved ? rankedBy() : unmoved;
    const [first] = order;
    const second = order.find((index) => String(ids(index)) !== String(ids(first))) ?? first;
    const lead = numberText(scores[first] - scores[second], 3);
    const places = { first: first + 1, second: second + 1, lead };
    verdict.textContent =
      first === second ? "" : t("Hypothesis {first} leads hypothesis {second} by {lead} in score.", places);
    reset.disabled = !moved;
  }

  /** @returns {[order: number[], scores: number[]]} as in the list */
  function currentRanking() {
    const scores = scoresNow();
    return [moved ? sortedIndices(scores) : [...scores.keys()], scores];
  }

  const ids = (index) => state.model.hypotheses[index].token_ids;
  const rankedBy = () =>
    now.kind === "none"
      ? t("Hypotheses by log-probability")
      : t("Hypotheses by score at α = {alpha}", { alpha: numberText(now.alpha) });

  function showControls() {
    const { low, high } = rankingData();
    Object.assign(slider, { min: low, max: high, value: now.alpha, disabled: now.kind === "none" });
    readout.textContent = numberText(now.alpha);
    slider.setAttribute("aria-valuetext", readout.textContent);
    find(form, `[name=kind][value=${now.kind}]`, HTMLInputElement).checked = true;
    caption.textContent = state.model.payload.captions.scores[now.kind];
  }

  function choose(change, byHand = true) {
    const redraw = now.kind !== (change.kind ?? now.kind);
    now = { ...now, ...change };
    moved = byHand;
    rankNow();
    showControls();
    if (redraw) draw().catch(console.error);
    else moveMarks();
  }

  // Lengths are relative to that of the first line, as in demo/widgets/figures/score_curve.py.
  function height(hypothesis, alpha) {
    const first = state.model.hypotheses[rankingData().figure.data[0].meta[0]];
    return Math.max(-hypothesis.log_prob / (base(hypothesis) / base(first)) ** alpha, 1e-6);
  }

  function line(trace) {
    if (!trace.meta) return trace;
    const { x0, dx, meta } = trace;
    const hypothesis = state.model.hypotheses[meta[0]];
    const steps = Math.round((rankingData().high - x0) / dx);
    const alphas = Array.from({ length: steps + 1 }, (_, index) => x0 + index * dx);
    const name = `${meta[0] + 1}: ${plotlyText(hypothesis.text) || t("(empty)")}`;
    const values = { value: numberText(hypothesis.log_prob), count: hypothesis.token_ids.length };
    const head = `<b>${name}</b><br>${t("log-prob {value}, {count} tokens", values)}<br>`;
    const scores = alphas.map((alpha) => hypothesis.log_prob / base(hypothesis) ** alpha);
    return {
      ...trace,
      y: alphas.map((alpha) => height(hypothesis, alpha)),
      customdata: scores,
      hovertext: scores.map((score, index) => {
        const point = { score: numberText(score, 3), alpha: numberText(alphas[index]) };
        return head + t("score {score} at α = {alpha}", point);
      }),
      hovertemplate: "%{hovertext}<extra></extra>",
    };
  }

  function figure() {
    const { figure: frame, marks: byKind } = rankingData();
    const { axis, changes, ends } = byKind[now.kind];
    const [takeovers, numbers] = frame.data.slice(-2);
    const data = [...frame.data.slice(0, -2).map(line), { ...takeovers, ...changes }, { ...numbers, ...ends }];
    return {
      data,
      layout: { ...frame.layout, yaxis: { ...frame.layout.yaxis, ...axis }, uirevision: now.kind, shapes: marks() },
    };
  }

  // The chosen output as a strong line, and alpha as an upright one; the search's own alpha is dotted.
  function marks() {
    const { low, high, alpha: searchAlpha, kind } = rankingData();
    const { palette } = state.model.payload;
    const hypothesis = state.model.hypotheses[state.hypothesis];
    const shapes = [];
    const upright = (x, line) => shapes.push({ type: "line", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line });
    if (now.kind !== "none") {
      if (moved && kind === now.kind) upright(searchAlpha, { color: palette.muted, width: 1.5, dash: "dot" });
      upright(now.alpha, { color: palette.text, width: 1.5 });
    }
    if (hypothesis?.log_prob > -Infinity) {
      const [y0, y1] = [low, high].map((alpha) => height(hypothesis, alpha));
      shapes.push({ type: "line", x0: low, x1: high, y0, y1, line: { color: palette.output, width: 4 } });
    }
    return shapes;
  }

  function moveMarks() {
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      if (state.model && rankingData()) chart.mark(marks()).catch(() => {}); // there are none without Plotly
    });
  }

  chart.on("plotly_click", ({ points: [point] }) => {
    const { meta } = point.data;
    const index = meta ? (meta.find((same) => same === state.hypothesis) ?? meta[0]) : point.customdata;
    if (index !== undefined) selection.chooseHypothesis(index);
  });

  const draw = async () => (rankingData() ? chart.draw(figure(), state.model.payload.dark) : chart.clear());

  slider.addEventListener("input", () => choose({ alpha: Number(slider.value) }));
  form.addEventListener("change", (event) => {
    const radio = targetOf(event, HTMLInputElement);
    if (radio?.name === "kind") choose({ kind: radio.value });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  reset.addEventListener("click", () => choose(searchRanking(), false));

  return {
    charts: { ranking: chart },
    load(model) {
      hypotheses.load(model);
      now = searchRanking();
      moved = false;
      card.hidden = !rankingData();
      list.classList.toggle("tv-rankable", Boolean(rankingData()));
      rankNow();
      if (rankingData()) showControls();
    },
    update: hypotheses.update,
    draw,
    follow: async (change) => {
      if (change === "path" && rankingData()) await chart.mark(marks());
    },
    read: () => (moved ? { rank_by: now.kind, rank_alpha: Math.round(1000 * now.alpha) / 1000 } : {}),
    restore({ values, faults }) {
      const { rank_by: kind = now.kind, rank_alpha: alpha = now.alpha } = values;
      if (values.rank_by === undefined && values.rank_alpha === undefined) return;
      if (!rankingData()) faults.push(t("The link changes the ranking, and this decoding has nothing to rank."));
      else choose({ kind, alpha: clamp(alpha, rankingData().low, rankingData().high) });
    },
    copies: {
      hypotheses: {
        hint: t("Copy the hypotheses as a table"),
        text: () => tsvText(hypothesesTable(state.model, ...currentRanking(), isHidden("probabilities"))),
      },
    },
  };
}
