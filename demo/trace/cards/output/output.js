// @ts-check
// The output as chips, its score, and the source above it.
import { elementOf, find, findAll, isHidden, make, makeButton, makeToken, setText } from "../../../widgets/view/dom.js";
import { clamp, numberText, percentText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { endedByItself, reasonText } from "../../reading/trace.js";
import { currentRow, merging, pathGroups, pathWord, sourceGroups, sourceWord, wordRow } from "../../reading/words.js";

/** @import { Change, CreateCard, Hypothesis, Node, Selection } from "../../trace_card.js" */

const phone = matchMedia("(max-width: 480px)"); // one view fits below the stepper there if the scores are folded

/** @type {CreateCard} */
export function create({ root, selection }, card) {
  const strip = find(card, ".tv-strip");
  const scores = find(card, "details", HTMLDetailsElement);
  const fold = () => {
    scores.open = !phone.matches;
  };
  fold();
  phone.addEventListener("change", fold);
  const score = find(card, ".tv-score");
  const back = find(card, ".tv-back");
  const merge = find(card, ".tv-merge", HTMLInputElement);
  const [toggle, note] = findAll(card, ".tv-toggle", ".tv-words-note");
  const alignment = createAlignment(selection, card);
  const { state } = selection;
  /** @type {number[][]} */
  let groups = []; // groups of steps; each has a chip

  /** The chip of a token, or of a word whose pieces' probabilities are multiplied. @param {number[]} group */
  function chip(group) {
    const [first] = group;
    const nodes = group.map((step) => state.path[step]);
    const logProb = nodes.reduce((sum, node) => sum + node.log_prob, 0);
    const [percent, log] = [percentText(logProb), numberText(logProb)];
    const word = makeToken("b", "", pathWord(state, group));
    const button = makeButton("tv-chip tv-out", () => selection.goTo(first), word, make("small", "", percent));
    button.style.setProperty("--share", Math.exp(logProb).toFixed(3));
    const pieces = nodes.map((node) => state.model.label(node.token)).join(" ");
    const inPieces = group.length > 1 ? `, ${t("pieces {pieces}", { pieces })}` : "";
    const chances = isHidden("probabilities")
      ? ""
      : `: ${t("probability {percent}, log-probability {log}", { percent, log })}`;
    button.title = `${t("step {step}", { step: first + 1 })}${chances}${inPieces}`;
    if (group.some((step) => state.forced.includes(step))) {
      button.classList.add("tv-forced");
      button.title += `, ${t("forced by you")}`;
    }
    return button;
  }

  /** @type {(pair: string[]) => HTMLElement} keeps a number on the same line as its name */
  const fact = ([name, value]) => make("span", "", `${name} `, make("b", "", value));

  /** The numbers of the path, and how it ends. */
  function facts() {
    const last = state.path.at(-1);
    if (!last) return [];
    const hypothesis = state.model.hypotheses[state.hypothesis];
    const { log_prob, score } = hypothesis ?? { log_prob: last.cumulative, score: last.score };
    const pairs = [
      [t("log-probability"), numberText(log_prob)],
      ...(state.model.normalised ? [[t("normalised score"), numberText(score, 3)]] : []),
      [t("tokens"), String(state.path.length)],
    ];
    return [...pairs.map(fact), make("em", "", hypothesis ? endOf(hypothesis) : whyDropped(last))];
  }

  /** @param {Hypothesis} hypothesis */
  const endOf = (hypothesis) =>
    endedByItself(state.model, hypothesis) ? t("ended by itself") : t("cut off at the length limit");

  /** @param {Node} last */
  function whyDropped(last) {
    const { reasons } = state.model.payload;
    const reason = isHidden("probabilities") ? reasons[last.reason] : reasonText(state.model, last);
    return `${t("not a hypothesis.")} ${reason}`;
  }

  function drawPath() {
    groups = pathGroups(state);
    strip.replaceChildren(...groups.map(chip));
    score.replaceChildren(...facts());
  }

  /** @param {Change} change */
  function update(change) {
    const focused = strip.contains(document.activeElement);
    if (change === "path" || change === "words") drawPath();
    for (const [index, button] of chips().entries()) {
      const isCurrent = groups[index].includes(state.step);
      button.classList.toggle("tv-ahead", groups[index][0] > state.step);
      button.tabIndex = isCurrent ? 0 : -1; // one tab stop for all chips: arrow keys move the step
      button.ariaCurrent = isCurrent ? "step" : null;
      if (isCurrent && focused) button.focus({ preventScroll: true });
      if (isCurrent) reveal(button);
    }
    back.hidden = state.hypothesis >= 0 || !state.model.hypotheses.length;
    showMerging();
    alignment.update(change);
  }

  const chips = () => /** @type {HTMLElement[]} */ ([...strip.children]);

  /** Scrolls the row, never the page, in the next frame. @param {HTMLElement} chip */
  function reveal(chip) {
    requestAnimationFrame(() => {
      const [top, bottom] = [chip.offsetTop - strip.offsetTop, chip.offsetTop + chip.offsetHeight - strip.offsetTop];
      if (top < strip.scrollTop || bottom > strip.scrollTop + strip.clientHeight) strip.scrollTop = top - 4;
    });
  }

  // The switch that merges the pieces of words.
  function showMerging() {
    merge.checked = state.merged;
    const node = selection.current();
    const isMerged = Boolean(node && merging(state));
    root.classList.toggle("tv-merged", isMerged);
    const text = t(
      "A word's probability is the product of those of its pieces, its attention their mean. " +
        "Other views show pieces, now “{token}”.",
      { token: node ? state.model.label(node.token) : "" },
    );
    setText(note, isMerged ? text : "");
  }

  merge.addEventListener("change", () => selection.mergeWords(merge.checked));
  back.addEventListener("click", () => {
    selection.chooseHypothesis(0);
    /** @type {HTMLElement | null} */ (strip.querySelector("[aria-current]"))?.focus();
  });

  document.addEventListener("unrolled:hide", () => {
    if (state.path.length) update("words");
  });

  return {
    load(model) {
      toggle.hidden = !model.payload.words.useful;
      alignment.load();
      update("path");
    },
    update,
    copies: {
      output: {
        hint: t("Copy the output"),
        text: () =>
          state.model.hypotheses[state.hypothesis]?.text ??
          state.path.map(({ token }) => state.model.label(token)).join(" "),
      },
    },
    read: () => (merging(state) ? { words: true } : {}),
    restore: ({ values }) => {
      if (values.words) selection.mergeWords(true);
    },
  };
}

/**
 * The source above the output: where the current token looks, or which output tokens look at a source token.
 * @param {Selection} selection
 * @param {HTMLElement} card
 */
function createAlignment({ state, current }, card) {
  const [source, strip, status] = findAll(card, ".tv-band-source", ".tv-strip", ".tv-weights-text");

  const chips = (row) => /** @type {HTMLElement[]} */ ([...row.children]);
  /** @type {(row: HTMLElement, event: Event) => HTMLElement | null} */
  const chipAt = (row, event) => chips(row).find((element) => element.contains(elementOf(event))) ?? null;
  const isAligned = () => Boolean(current() && state.model.attention && !isHidden("attention"));

  /** @type {(group: number[], index: number) => HTMLElement} */
  function chip(group, index) {
    const tokens = group.map((index) => state.model.source[index]);
    const className = tokens.some(({ unknown }) => unknown) ? "tv-word tv-unknown" : "tv-word";
    const word = make("span", className, makeToken("span", "", sourceWord(state, group)));
    const ids = tokens.map(({ id }) => id).join(" ");
    word.title = `${t("source token {at}", { at: index + 1 })} · id ${ids}`;
    return word;
  }

  function draw() {
    source.replaceChildren(...(state.model.picture ? [] : sourceGroups(state).map(chip)));
    source.hidden = !source.childElementCount; // a picture shows its own cells
  }

  /** @type {(row: HTMLElement, weights: number[] | null) => void} */
  function light(row, weights) {
    for (const [index, { style }] of chips(row).entries())
      style.setProperty("--weight", weights ? (weights[index] ?? 0).toFixed(3) : null);
  }

  const show = () => light(source, isAligned() ? currentRow(state) : null);

  /** @param {HTMLElement | null} output chip of the output under the pointer or with the focus */
  function lookFrom(output) {
    const group = output ? pathGroups(state)[chips(strip).indexOf(output)] : null;
    if (group && isAligned()) light(source, wordRow(state, group));
    else show();
  }

  /** @param {HTMLElement | null} word chip of the source */
  function lookAt(word) {
    const column = word ? chips(source).indexOf(word) : -1;
    const rows = column >= 0 && isAligned() ? pathGroups(state).map((group) => wordRow(state, group)) : null;
    light(strip, rows?.map((row) => row[column]) ?? null);
    strip.classList.toggle("tv-weighted", Boolean(rows));
    for (const element of chips(source)) element.classList.toggle("tv-at", element === word);
    status.textContent = word && document.activeElement === source ? `${word.textContent} ${word.title}` : "";
  }

  /** @param {KeyboardEvent} event while the row has the focus: the arrow keys visit its tokens one by one */
  function onKey(event) {
    const all = chips(source);
    const current = all.findIndex((element) => element.classList.contains("tv-at"));
    const next = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation(); // no key of these tokens steps through the output
    if (next === undefined) return;
    event.preventDefault();
    lookAt(all[clamp(next, 0, all.length - 1)]);
  }

  strip.addEventListener("mouseover", (event) => lookFrom(chipAt(strip, event)));
  strip.addEventListener("mouseleave", () => lookFrom(null));
  source.addEventListener("mouseover", (event) => lookAt(chipAt(source, event)));
  source.addEventListener("mouseleave", () => lookAt(null));
  source.addEventListener("focus", () => lookAt(chips(source)[0] ?? null));
  source.addEventListener("blur", () => lookAt(null));
  source.addEventListener("keydown", onKey);

  return {
    load: draw,
    /** @param {Change} change */
    update(change) {
      if (change === "words") draw();
      show();
    },
  };
}
