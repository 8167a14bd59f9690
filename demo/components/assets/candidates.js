// Every candidate of the step as a table of buttons: the tree for keyboards and screen readers.
const STATUS_WORDS = { kept: t("kept"), finished: t("finished"), pruned: t("pruned") };

function createCandidates(root, selection) {
  const body = root.querySelector(".tv-candidates tbody");
  const { state } = selection;
  let shown = null; // the step whose rows stand in the table

  function row(node) {
    const line = make("tr");
    line.dataset.node = node.id;
    const parent = state.model.nodes.get(node.parent);
    const button = makeButton("tv-candidate", () => selection.chooseNode(node.id));
    button.append(makeToken("span", "", state.model.label(node.token)));
    const token = make("td", "tv-token");
    token.append(button);
    const status = make("td", "tv-status-cell");
    const sign = make("i", "tv-sign");
    sign.dataset.status = node.status;
    status.title = state.model.payload.statuses[node.status];
    status.append(sign, STATUS_WORDS[node.status] ?? node.status);
    line.append(
      make("td", "tv-number", String(node.rank + 1)),
      makeToken("td", "tv-after", parent ? state.model.label(parent.token) : t("start")),
      token,
      ...[node.log_prob, node.cumulative].map((value) => make("td", "tv-number", numberText(value))),
      make("td", "tv-number tv-order", numberText(node.order ?? node.cumulative)),
      make("td", "tv-number", numberText(node.score, 3)),
      status,
      make("td", "tv-reason", state.model.payload.reasons[node.reason]),
    );
    return line;
  }

  function update() {
    const step = state.model.steps[state.step];
    const node = selection.current();
    if (!step || !node) return;
    const focused = body.contains(document.activeElement);
    if (shown !== step) body.replaceChildren(...step.nodes.map(row));
    shown = step;
    let chosen = null;
    for (const line of body.children) {
      const on = Number(line.dataset.node) === node.id;
      line.classList.toggle("tv-on", on);
      line.querySelector("button").setAttribute("aria-pressed", String(on));
      if (on) chosen = line;
    }
    if (focused) chosen?.querySelector("button").focus({ preventScroll: true });
    requestAnimationFrame(() => reveal(chosen)); // measuring at once would lay out the page in the middle of a step
  }

  // Scrolls the table, never the page.
  function reveal(line) {
    const box = body.closest(".tv-candidates");
    const head = body.previousElementSibling.offsetHeight;
    if (!line?.isConnected) return;
    if (line.offsetTop - head < box.scrollTop) box.scrollTop = line.offsetTop - head;
    else if (line.offsetTop + line.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = line.offsetTop + line.offsetHeight - box.clientHeight;
  }

  function load(model) {
    // As tall as the fullest step, so that stepping moves nothing below.
    root.classList.toggle("tv-ordered", [...model.nodes.values()].some((node) => node.order !== null));
    const fullest = Math.max(...model.steps.map((step) => step.nodes.length));
    body.closest(".tv-candidates").style.setProperty("--rows", fullest);
    shown = null;
    update();
  }

  return { load, update };
}
