// The attention of one step over the source tokens, and the pickers for layer and head.
function createSource(root, selection, onHover) {
  const list = root.querySelector(".tv-source");
  const card = root.querySelector(".tv-attention-card");
  const pickers = { layer: card.querySelector(".tv-layer"), head: card.querySelector(".tv-head") };
  const { state } = selection;

  function fillPicker(label, name, count) {
    label.hidden = count < 2;
    const options = [t("mean"), ...Array.from({ length: count }, (_, at) => String(at + 1))];
    label.querySelector("select").replaceChildren(...options.map((text, at) => {
      const option = make("option", "", text);
      option.value = at === 0 ? "" : String(at - 1);
      return option;
    }));
  }

  const chosen = (label) => (label.querySelector("select").value === "" ? null : Number(label.querySelector("select").value));
  for (const label of Object.values(pickers))
    label.addEventListener("change", () => selection.chooseHead(chosen(pickers.layer), chosen(pickers.head)));

  function chip(group, at) {
    const tokens = group.map((place) => state.model.source[place]);
    const node = make("span", "tv-chip tv-src");
    node.append(makeToken("b", "", wordText(tokens.map((token) => state.model.label(token.surface)))), make("small"));
    const unknown = tokens.some((token) => token.unknown);
    if (unknown) node.classList.add("tv-unknown");
    node.title = `${merging(state) ? t("source word {at}", { at: at + 1 }) : t("source token {at}", { at: at + 1 })}${unknown ? `, ${t("unknown to the vocabulary")}` : ""}`;
    node.addEventListener("pointerenter", () => onHover(at));
    node.addEventListener("pointerleave", () => onHover(null));
    return node;
  }

  function load(model) {
    card.classList.toggle("tv-without", !model.attention);
    card.querySelector(".tv-no-attention").textContent = model.attention ? "" : model.payload.captions.none;
    const [layers, heads] = model.attention?.shape ?? [0, 0];
    fillPicker(pickers.layer, "layer", layers);
    fillPicker(pickers.head, "head", heads);
    draw();
  }

  function draw() {
    list.replaceChildren(...(state.model.picture ? [] : sourceGroups(state).map(chip))); // a picture shows its own
    show();
  }

  function update(change) {
    if (change === "words") draw();
    else show();
  }

  function show() {
    for (const [name, label] of Object.entries(pickers)) label.querySelector("select").value = state[name] ?? "";
    const node = selection.current();
    if (!node || !state.model.attention) return;
    const weights = currentRow(state);
    const kept = strongest(weights, state.mass);
    [...list.children].forEach((item, at) => {
      item.style.setProperty("--share", kept[at].toFixed(3));
      item.classList.toggle("tv-blank-weight", kept[at] === 0 && weights[at] > 0);
      item.lastChild.textContent = weights[at].toFixed(2).replace(/^0/, "");
    });
  }

  return { load, update };
}
