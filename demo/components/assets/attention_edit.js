// One attention row under the reader's hand: a slider for each source token, shares that sum to 1. On a picture
// the reader chooses cells instead.
function createAttentionEdit(root, selection, edits, cells) {
  const card = root.querySelector(".tv-attention-card");
  const open = card.querySelector(".tv-edit-attention");
  const editor = card.querySelector(".tv-row-editor");
  const list = editor.querySelector("ol");
  const apply = editor.querySelector(".tv-apply");
  const { state } = selection;
  let sliders = [];

  const values = () => (state.model.picture ? cells.values() : sliders.map((slider) => Number(slider.value)));
  const total = () => values().reduce((sum, value) => sum + value, 0);

  function shares() {
    const sum = total();
    return values().map((value) => (sum ? value / sum : 0));
  }

  function show() {
    if (!state.model.picture) shares().forEach((share, at) => {
      list.children[at].lastChild.textContent = share.toFixed(2);
      sliders[at].setAttribute("aria-valuetext", share.toFixed(2));
    });
    apply.disabled = total() === 0;
  }

  function line(token, weight, at) {
    const item = make("li");
    const slider = make("input");
    Object.assign(slider, { type: "range", min: 0, max: 1000, value: Math.round(1000 * weight) });
    slider.setAttribute("aria-label", t("Attention to {token}", { token: state.model.label(token.surface) }));
    slider.addEventListener("input", show);
    const only = makeButton("tv-only", () => {
      sliders.forEach((other, place) => { other.value = place === at ? 1000 : 0; });
      show();
    });
    only.textContent = t("all here");
    sliders.push(slider);
    item.append(makeToken("span", "tv-token", state.model.label(token.surface)), slider, only, make("span", "tv-number"));
    return item;
  }

  function fill() {
    const weights = state.model.weights(state.model.row(selection.current()), state.layer, state.head);
    sliders = [];
    list.replaceChildren(...(state.model.picture ? [] : state.model.source.map((token, at) => line(token, weights[at], at))));
    if (state.model.picture) cells.open(show);
    const how = state.model.picture ? t("Choose the cells of the picture that it shall look at, then decode anew.") : t("Move the sliders, then decode anew.");
    editor.querySelector(".tv-row-title").textContent =
      `${t("Attention while writing token {at}", { at: state.step + 1 })}${where()}. ${how}`;
    show();
  }

  function where() {
    const named = [...(state.layer === null ? [] : [t("layer {at}", { at: state.layer + 1 })]), ...(state.head === null ? [] : [t("head {at}", { at: state.head + 1 })])];
    if (named.length) return `, ${named.join(", ")}`;
    const [layers, heads] = state.model.attention.shape;
    return layers * heads > 1 ? `, ${t("in every layer and head")}` : "";
  }

  function toggle(on) {
    editor.hidden = !on;
    open.setAttribute("aria-expanded", String(on));
    if (on) fill();
    else cells.close();
  }

  open.addEventListener("click", () => toggle(editor.hidden));
  editor.querySelector(".tv-cancel").addEventListener("click", () => { toggle(false); open.focus(); });
  apply.addEventListener("click", () => edits.attend(shares()));

  return {
    load: () => toggle(false),
    update: () => { if (!editor.hidden) fill(); }, // another step or head: its own row
  };
}
