// The strongest weights of a row that together hold a share of its attention; the rest is blanked.
function createThreshold(root, selection) {
  const slider = root.querySelector(".tv-mass");
  const value = root.querySelector(".tv-mass-value");
  const note = root.querySelector(".tv-mass-note");
  const { state } = selection;
  slider.addEventListener("input", () => selection.keepMass(Number(slider.value) / 100));

  function update() {
    const node = selection.current();
    slider.value = String(Math.round(100 * state.mass));
    value.textContent = `${Math.round(100 * state.mass)} %`;
    if (!node || !state.model.attention) return;
    const row = currentRow(state);
    const kept = strongest(row, state.mass < 1 ? state.mass : 0.9).filter((weight) => weight > 0).length;
    const values = { kept, all: row.length, share: Math.round(100 * (state.mass < 1 ? state.mass : 0.9)) };
    note.textContent = state.model.picture ? t("At this step {kept} of {all} cells hold {share} % of the attention.", values)
      : merging(state) ? t("At this step {kept} of {all} source words hold {share} % of the attention.", values)
        : t("At this step {kept} of {all} source tokens hold {share} % of the attention.", values);
  }

  return { load: update, update };
}

// Weights with all zero but the smallest set of the largest that reaches `mass`.
function strongest(weights, mass) {
  if (mass >= 1) return weights;
  const order = [...weights.keys()].sort((one, other) => weights[other] - weights[one]);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const kept = new Array(weights.length).fill(0);
  let held = 0;
  for (const at of order) {
    if (held >= mass * total - 1e-9) break;
    kept[at] = weights[at];
    held += weights[at];
  }
  return kept;
}

// Attention of one node over source tokens, or over source words: their pieces' weights add up.
function sourceRow(state, node) {
  const weights = state.model.weights(state.model.row(node), state.layer, state.head);
  return sourceGroups(state).map((group) => group.reduce((sum, at) => sum + weights[at], 0));
}

// Attention of the token, or of the whole word, that the reader looks at.
function currentRow(state) {
  const groups = pathGroups(state);
  return wordRow(state, groups[groupAt(groups, state.step)]);
}

// Attention of a written word: the mean over its pieces, so that the row still sums to 1.
function wordRow(state, group) {
  const rows = group.map((at) => sourceRow(state, state.path[at]));
  return rows[0].map((_, column) => rows.reduce((sum, row) => sum + row[column], 0) / rows.length);
}
