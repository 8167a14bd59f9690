// The original and its edits, one under the other: kept in the browser, so that undo asks the server nothing.
const MOST_LINKED = 6; // edits in a link: MAX_EDITS of demo/links.py

function createVersions(root, show) {
  const list = root.querySelector(".tv-versions");
  const undo = root.querySelector(".tv-undo");
  let versions = []; // { text, model, parent }
  let chosen = 0;

  const isEdit = (model) => model.payload.trace.forced.length + model.payload.trace.overrides.length > 0;

  // A new value: an edit joins the original that it grew from, anything else begins anew.
  function arrive(text, model) {
    const { checkpoint, source_text: source } = model.payload.trace;
    const original = versions[0]?.model.payload.trace;
    const joins = isEdit(model) && original?.checkpoint === checkpoint && original?.source_text === source;
    versions = joins ? [...versions, { text, model, parent: chosen }] : [{ text, model, parent: null }];
    chosen = versions.length - 1;
    draw();
  }

  function choose(index) {
    if (index === chosen || !versions[index]) return;
    chosen = index;
    draw();
    show(versions[index].text, versions[index].model);
  }

  const best = (model) => model.hypotheses[0];

  function title({ model }) {
    if (!isEdit(model)) return t("Original");
    const { forced, overrides } = model.payload.trace;
    const attended = overrides.find(({ step }) => step >= forced.length);
    if (attended) {
      const peak = attended.weights.indexOf(Math.max(...attended.weights));
      if (model.picture) return t("attention at step {step} on {place}", { step: attended.step + 1, place: chosenCells(attended.weights, model.picture.cells) });
      return t("attention at step {step} on {place}", { step: attended.step + 1, place: t("“{text}”", { text: model.label(model.source[peak].surface) }) });
    }
    const node = model.paths[0]?.[forced.length - 1];
    return node ? t("“{token}” at step {step}", { token: model.label(node.token), step: forced.length }) : t("{count} forced tokens", { count: forced.length });
  }

  function output(model, reference) {
    const text = make("span", "tv-text");
    text.dir = "auto";
    const words = best(model)?.text.split(/(\s+)/) ?? [];
    const same = commonWords(words, reference);
    text.append(...words.map((word, at) => (same.has(at) || !word.trim() ? word : make("mark", "tv-new", word))));
    return text;
  }

  function line(version, index) {
    const button = makeButton("tv-version", () => choose(index));
    const own = best(version.model);
    const difference = own && best(versions[0].model) ? own.log_prob - best(versions[0].model).log_prob : null;
    button.append(
      make("span", "tv-what", title(version)),
      output(version.model, best(versions[0].model)?.text.split(/(\s+)/) ?? []),
      make("span", "tv-number", own ? numberText(own.log_prob) : ""),
      make("span", "tv-number tv-minor", index && difference !== null ? `${difference > 0 ? "+" : ""}${numberText(difference)}` : ""),
    );
    button.setAttribute("aria-pressed", String(index === chosen));
    const item = make("li");
    item.append(button);
    return item;
  }

  function draw() {
    root.classList.toggle("tv-edited", versions.length > 1);
    list.replaceChildren(...versions.map(line));
    undo.disabled = versions[chosen].parent === null;
  }

  // What a link can carry: edits by tokens alone, in their order. `version` counts among these, 0 is the original.
  function linkable() {
    const carried = [...versions.keys()].filter((index) => index && !versions[index].model.payload.trace.overrides.length).slice(-MOST_LINKED);
    return {
      forced: carried.map((index) => versions[index].model.payload.trace.forced),
      version: carried.indexOf(chosen) + 1,
      lost: versions.length - 1 - carried.length,
      shown: chosen === 0 || carried.includes(chosen),
    };
  }

  undo.addEventListener("click", () => choose(versions[chosen].parent));
  return {
    arrive,
    clear: () => { versions = []; root.classList.remove("tv-edited"); },
    linkable,
    count: () => versions.length,
    choose: (index) => { choose(index); return index < versions.length; },
  };
}

// Where an edit was made, from 0.
function editedStep({ forced, overrides }) {
  const attended = overrides.find(({ step }) => step >= forced.length);
  return attended ? attended.step : Math.max(0, forced.length - 1);
}

// Places in `words` that also stand, in this order, in `others`: a longest common subsequence.
function commonWords(words, others) {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      lengths[i][j] = words[i] === others[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const common = new Set();
  for (let i = 0, j = 0; i < words.length && j < others.length;) {
    if (words[i] === others[j]) { common.add(i); i += 1; j += 1; }
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return common;
}
