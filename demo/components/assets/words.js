// Pieces of one word as one: which steps of a path, and which source tokens, belong together.
const merging = (state) => state.merged && state.model.payload.words.useful;
const CONTINUES = 1;
const OPEN = 2;

function createWords(root, selection) {
  const box = root.querySelector(".tv-merge");
  const note = root.querySelector(".tv-words-note");
  const { state } = selection;
  box.addEventListener("change", () => selection.mergeWords(box.checked));

  function load(model) {
    box.parentElement.hidden = !model.payload.words.useful;
  }

  function update() {
    box.checked = state.merged;
    const node = selection.current();
    root.classList.toggle("tv-merged", Boolean(node && merging(state)));
    note.textContent = node && merging(state)
      ? t("A word's probability is the product of its pieces', its attention their mean. The search chose pieces: next tokens, candidates and tree show those, now “{token}”.", { token: state.model.label(node.token) }) : "";
  }

  return { load: (model) => { load(model); update(); }, update };
}

// Groups of indices: each token alone, or the pieces of a word together.
function groupsOf(length, joins) {
  const groups = [];
  for (let at = 0; at < length; at++) {
    if (at && joins(at)) groups.at(-1).push(at);
    else groups.push([at]);
  }
  return groups;
}

function pathGroups(state) {
  const { flags } = state.model.payload.words;
  const flag = (at) => flags[state.path[at].token] ?? 0;
  return groupsOf(state.path.length, (at) => merging(state) && flag(at) & CONTINUES && flag(at - 1) & OPEN);
}

function sourceGroups(state) {
  const { starts } = state.model.payload.words;
  return groupsOf(state.model.source.length, (at) => merging(state) && !starts[at]);
}

// The text of a word: its pieces without the signs between them.
const wordText = (labels) => labels.map((label, at) => (at ? label.replace(/^##/, "") : label)).join("");

const groupAt = (groups, index) => groups.findIndex((group) => group.includes(index));
