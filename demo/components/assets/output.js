// The output as chips, its score, and the hypotheses that it was chosen from, in the order that ranking.js asks for.
function createOutput(root, selection) {
  const strip = root.querySelector(".tv-strip");
  const score = root.querySelector(".tv-score");
  const list = root.querySelector(".tv-hypotheses");
  const { state } = selection;
  let groups = []; // of steps: a chip each
  let items = []; // by hypothesis
  let order = []; // hypotheses as they stand in the list

  // A token, or the pieces of a word: their probabilities multiply.
  function chip(group) {
    const [first] = group;
    const nodes = group.map((at) => state.path[at]);
    const logProb = nodes.reduce((sum, node) => sum + node.log_prob, 0);
    const labels = nodes.map((node) => state.model.label(node.token));
    const button = makeButton("tv-chip tv-out", () => selection.goTo(first));
    button.style.setProperty("--share", Math.exp(logProb).toFixed(3));
    const [percent, log] = [percentText(logProb), numberText(logProb)];
    const pieces = group.length > 1 ? `, ${t("pieces {pieces}", { pieces: labels.join(" ") })}` : "";
    const chances = isHidden("probabilities") ? "" : `: ${t("probability {percent}, log-probability {log}", { percent, log })}`;
    button.title = `${t("step {step}", { step: first + 1 })}${chances}${pieces}`;
    const { forced, opening } = state.model.payload.trace;
    if (group.some((at) => at >= opening && at < forced.length)) {
      button.classList.add("tv-forced");
      button.title += `, ${t("forced by you")}`;
    }
    button.append(makeToken("b", "", wordText(labels)), make("small", "", percent), make("small", "", log));
    return button;
  }

  // Some checkpoints give the end token to whatever reaches the length limit.
  const endedByItself = ({ ended, node }) => ended && state.model.nodes.get(node)?.reason !== "closing";

  function facts(log_prob, score, length, end) {
    const pairs = [[t("log-probability"), numberText(log_prob)], [t("normalised score"), numberText(score, 3)],
      [t("tokens"), String(length)]];
    return [...pairs.flatMap(([name, value]) => [make("span", "", `${name} `), make("b", "", value)]), make("em", "", end)];
  }

  function drawPath() {
    groups = pathGroups(state);
    strip.replaceChildren(...groups.map(chip));
    const last = state.path.at(-1);
    if (!last) return score.replaceChildren();
    const hypothesis = state.model.hypotheses[state.hypothesis];
    const end = !hypothesis ? `${t("not a hypothesis.")} ${state.model.payload.reasons[last.reason]}`
      : endedByItself(hypothesis) ? t("ended by itself") : t("cut off at the length limit");
    const { log_prob, score: value } = hypothesis ?? { log_prob: last.cumulative, score: last.score };
    score.replaceChildren(...facts(log_prob, value, state.path.length, end));
  }

  function row(hypothesis, index) {
    const item = make("li");
    const button = makeButton("tv-hypothesis", () => selection.chooseHypothesis(index));
    const end = endedByItself(hypothesis) ? "" : ` …${t("cut off")}`;
    const text = makeToken("span", "tv-text", (hypothesis.text || t("(empty)")) + end);
    text.title = hypothesis.text;
    const count = hypothesis.token_ids.length;
    button.append(
      make("span", "tv-rank", String(index + 1)), // its name: the place that the search gave it
      make("span", "tv-moved"),
      text,
      make("span", "tv-bar"),
      make("span", "tv-number"),
      make("span", "tv-number tv-minor", `log-p ${numberText(hypothesis.log_prob)}`),
      make("span", "tv-number tv-minor", count === 1 ? t("1 token") : t("{count} tokens", { count })),
    );
    item.append(button);
    return item;
  }

  // `next` holds the hypotheses from the first place to the last, `scores` what each one has now.
  function rank(next, scores) {
    const best = Math.max(...scores);
    next.forEach((index, place) => {
      const button = items[index].firstChild;
      const [, moved, , , score] = button.children;
      // The bar is the ratio to the best: scores themselves have no natural end of scale.
      button.style.setProperty("--share", (best > -Infinity ? Math.exp(scores[index] - best) : 0).toFixed(3));
      score.textContent = numberText(scores[index], 3);
      const way = place === index ? "" : `${place < index ? "↑" : "↓"}${Math.abs(place - index)}`;
      const wins = place === 0 && next.length > 1;
      moved.textContent = wins ? `★${way}` : way;
      button.classList.toggle("tv-winner", wins);
    });
    if (String(next) !== String(order)) list.replaceChildren(...next.map((index) => items[index]));
    order = next;
  }

  // The keys follow what the eye sees: after ranking anew that is not the order of the search.
  list.addEventListener("keydown", (event) => {
    const offset = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!offset || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const place = clamp(order.indexOf(state.hypothesis) + offset, 0, order.length - 1);
    selection.chooseHypothesis(order[place]);
    items[order[place]]?.firstChild.focus();
  });

  function load(model) {
    items = model.hypotheses.map(row);
    order = [...items.keys()];
    list.replaceChildren(...items);
    update("path");
  }

  function update(change) {
    if (change === "path" || change === "words") drawPath();
    [...strip.children].forEach((button, at) => {
      button.classList.toggle("tv-ahead", groups[at][0] > state.step);
      if (groups[at].includes(state.step)) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    items.forEach((item, index) => item.firstChild.setAttribute("aria-pressed", String(index === state.hypothesis)));
  }

  return { load, update, rank };
}
