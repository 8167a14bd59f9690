// The output as chips, its score, and the hypotheses that it was chosen from.
function createOutput(root, selection) {
  const strip = root.querySelector(".tv-strip");
  const score = root.querySelector(".tv-score");
  const list = root.querySelector(".tv-hypotheses");
  const { state } = selection;

  function chip(node, step) {
    const button = makeButton("tv-chip tv-out", () => selection.goTo(step));
    const share = Math.exp(node.log_prob);
    button.style.setProperty("--share", share.toFixed(3));
    const [percent, log] = [percentText(node.log_prob), numberText(node.log_prob)];
    button.title = `step ${step + 1}: probability ${percent}, log-probability ${log}`;
    if (step < state.model.payload.trace.forced.length) {
      button.classList.add("tv-forced");
      button.title += ", forced by you";
    }
    button.append(makeToken("b", "", state.model.label(node.token)), make("small", "", percent), make("small", "", log));
    return button;
  }

  function facts(log_prob, score, length, end) {
    const pairs = [["log-probability", numberText(log_prob)], ["normalised score", numberText(score, 3)],
      ["tokens", String(length)]];
    return [...pairs.flatMap(([name, value]) => [make("span", "", `${name} `), make("b", "", value)]), make("em", "", end)];
  }

  function drawPath() {
    strip.replaceChildren(...state.path.map(chip));
    const last = state.path.at(-1);
    if (!last) return score.replaceChildren();
    const hypothesis = state.model.hypotheses[state.hypothesis];
    const end = !hypothesis ? `not a hypothesis. ${state.model.payload.reasons[last.reason]}`
      : hypothesis.ended ? "ended by itself" : "cut off at the length limit";
    const { log_prob, score: value } = hypothesis ?? { log_prob: last.cumulative, score: last.score };
    score.replaceChildren(...facts(log_prob, value, state.path.length, end));
  }

  function row(hypothesis, index, best) {
    const item = make("li");
    const button = makeButton("tv-hypothesis", () => selection.chooseHypothesis(index));
    // The bar is the ratio to the best: scores themselves have no natural end of scale.
    button.style.setProperty("--share", Math.exp(hypothesis.score - best).toFixed(3));
    const end = hypothesis.ended ? "" : " …cut off";
    button.append(
      make("span", "tv-rank", String(index + 1)),
      makeToken("span", "tv-text", (hypothesis.text || "(empty)") + end),
      make("span", "tv-bar"),
      make("span", "tv-number", numberText(hypothesis.score, 3)),
      make("span", "tv-number tv-minor", `log-p ${numberText(hypothesis.log_prob)}`),
    );
    item.append(button);
    return item;
  }

  function load(model) {
    const best = model.hypotheses[0]?.score ?? 0;
    list.replaceChildren(...model.hypotheses.map((hypothesis, index) => row(hypothesis, index, best)));
    update("path");
  }

  function update(change) {
    if (change === "path") drawPath();
    [...strip.children].forEach((button, step) => {
      button.classList.toggle("tv-ahead", step > state.step);
      if (step === state.step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    [...list.children].forEach((item, index) =>
      item.firstChild.setAttribute("aria-pressed", String(index === state.hypothesis)));
  }

  return { load, update };
}
