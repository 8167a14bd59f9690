// What-if: asks for the shown decoding anew, with a prefix or an attention row of the reader's choice.
function createEdits(root, selection, { trigger, editable }) {
  const { state } = selection;
  const form = root.querySelector(".tv-typed");
  const anew = root.querySelector(".tv-anew");
  root.classList.toggle("tv-editable", editable);

  const idsBefore = (step) => state.path.slice(0, step).map((node) => node.token_id);

  // Everything that the server needs is in the trace itself: the controls may have changed meanwhile.
  function ask(forced, { typed = "", override = null } = {}) {
    if (!editable || root.dataset.editing === "true") return;
    const { checkpoint, source_text: text, strategy, settings, overrides } = state.model.payload.trace;
    const last = override ? forced.length - 1 : forced.length;
    const kept = overrides.filter(({ step }) => step <= last);
    root.dataset.editing = "true";
    trigger("edit", { checkpoint, text, strategy, settings, forced, typed, overrides: override ? [...kept, override] : kept });
  }

  // An edit as a link says it: all the tokens of its prefix.
  const replay = (forced) => ask(forced);
  const force = (tokenId) => ask([...idsBefore(state.step), tokenId]);
  const attend = (weights) => ask(idsBefore(state.step), { override: { step: state.step, weights, layer: state.layer, head: state.head } });

  function forceButton(token) {
    const button = makeButton("tv-force", () => force(token.token_id));
    button.textContent = t("force");
    button.title = t("Decode anew with this token here");
    button.setAttribute("aria-label", t("Force {token} here and decode anew", { token: state.model.label(token.token) }));
    return button;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = form.elements.token.value;
    if (typed.trim()) ask(idsBefore(state.step), { typed });
  });
  anew.addEventListener("click", () => {
    const node = selection.current();
    if (node) ask(state.model.path(node.id).map((each) => each.token_id));
  });

  function update() {
    const node = selection.current();
    if (node) anew.textContent = t("Decode anew from “{token}”", { token: state.model.label(node.token) });
  }

  function load() {
    root.dataset.editing = "false";
    form.reset();
    update();
  }

  return { editable, attend, replay, forceButton, load, update };
}
