// How the result is looked at, as a link says it, and back: counts begin at 1, as on the page. A link's edits
// are asked for one after the other, and only then is the rest of its view taken up.
function createLinkState(root, selection, { versions, ranking, edits, tell }) {
  const { state } = selection;
  const [pruned, cells] = [".tv-show-pruned", ".tv-picture-heatmap"].map((name) => root.querySelector(name));
  let pending = null; // { view, edits: prefixes still to be asked for }

  function read() {
    const { model } = state;
    if (!model || !state.path.length) return { values: {}, words: [] };
    const values = {};
    const { forced, version, lost, shown } = versions.linkable();
    const words = lost ? [t("A link carries at most {most} edits, none of attention; left out: {lost}.", { most: MOST_LINKED, lost })] : [];
    if (forced.length) Object.assign(values, { forced, version });
    if (!shown) return { values, words: [...words, t("It opens on the original.")] };
    if (state.hypothesis > 0) values.hypothesis = state.hypothesis + 1;
    if (state.hypothesis < 0) values.node = state.path.at(-1).id;
    // A path by its end opens there, any other at the edit.
    if (state.hypothesis < 0 || state.step !== editedStep(model.payload.trace)) values.step = state.step + 1;
    if (state.layer !== null) values.layer = state.layer + 1;
    if (state.head !== null) values.head = state.head + 1;
    if (merging(state)) values.words = true;
    if (state.mass < 1) values.strongest = Math.round(100 * state.mass);
    if (!state.pruned) values.pruned = false;
    if (model.picture && cells.checked) values.cells = true;
    Object.assign(values, ranking.read());
    return { values, words };
  }

  // `fresh`: for the next value to arrive, not the one on show.
  function restore(view, fresh = false) {
    pending = { view, edits: (view.forced ?? []).filter((prefix) => prefix.length) };
    if (!fresh && state.model) arrived();
  }

  function arrived() {
    if (!pending) return;
    const next = pending.edits.shift();
    if (next && edits.editable) edits.replay(next);
    else finish();
  }

  // An edit that was refused: those after it have nothing to stand on.
  function refused() {
    if (pending) finish();
  }

  function finish() {
    const { view } = pending;
    pending = null;
    const faults = [];
    const within = (name, most) => {
      const value = view[name];
      if (value === undefined) return null;
      if (value <= most) return value - 1;
      faults.push(t("{name} is {value} in the link, and this decoding has {most}.", { name, value, most }));
      return null;
    };
    if (view.version !== undefined && !versions.choose(view.version)) faults.push(t("version is {value} in the link, and there are {most} edits.", { value: view.version, most: versions.count() - 1 }));
    const { model } = state;
    if (view.words) selection.mergeWords(true);
    if (view.strongest !== undefined) selection.keepMass(view.strongest / 100);
    const [layers, heads] = model.attention?.shape ?? [0, 0];
    const [layer, head] = [within("layer", layers), within("head", heads)];
    if (layer !== null || head !== null) selection.chooseHead(layer, head);
    const hypothesis = within("hypothesis", model.hypotheses.length);
    if (hypothesis !== null) selection.chooseHypothesis(hypothesis);
    if (view.node !== undefined && !model.nodes.has(view.node)) faults.push(t("node {node} of the link is not in this search.", { node: view.node }));
    else if (view.node !== undefined) selection.chooseEnd(view.node);
    const step = within("step", state.path.length);
    if (step !== null) selection.goTo(step);
    if (view.pruned === false) {
      pruned.checked = false;
      selection.showPruned(false);
    }
    if (view.cells && model.picture) cells.click();
    ranking.restore(view, faults);
    root.dataset.restored = "true";
    tell(faults);
  }

  return { read, restore, arrived, refused };
}
