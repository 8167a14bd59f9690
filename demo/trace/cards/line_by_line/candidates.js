// @ts-check
// All candidates of the current step as a table of buttons: the tree for keyboards and screen readers.
import { find, make, makeButton, makeToken, setText } from "../../../widgets/view/dom.js";
import { numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { revealRow } from "../../panes/visibility.js";
import { reasonText } from "../../reading/trace.js";

/** @import { Card, Node, Step, View } from "../../trace_card.js" */

/** @param {string} status */
const statusText = (status) => ({ kept: t("kept"), finished: t("finished"), pruned: t("pruned") })[status] ?? status;

/** @type {(view: View, card: HTMLElement) => Required<Pick<Card, "load" | "update">>} */
export function createCandidates({ root, selection, edits }, card) {
  const box = find(card, ".tv-candidates");
  const [head, body] = [find(box, "thead tr"), find(box, "tbody")];
  const anew = find(card, ".tv-anew");
  const { state } = selection;
  /** @type {Step | null} */
  let shownStep = null; // the step whose candidates are in the table

  /** @param {Node} node */
  function row(node) {
    const line = make("tr");
    line.dataset.node = String(node.id);
    const parent = node.parent === null ? null : state.model.nodes.get(node.parent);
    const token = makeToken("span", "", state.model.label(node.token));
    const button = makeButton("tv-candidate", () => selection.chooseNode(node.id), token);
    const sign = make("i", "tv-sign");
    sign.dataset.status = node.status;
    const status = make("td", "tv-status-cell", sign, statusText(node.status));
    status.title = state.model.payload.statuses[node.status];
    line.append(
      make("td", "tv-number", String(node.rank + 1)),
      makeToken("td", "tv-after", parent ? state.model.label(parent.token) : t("start")),
      make("td", "tv-token", button),
      ...[node.log_prob, node.cumulative].map((value) => make("td", "tv-number", numberText(value))),
      make("td", "tv-number tv-order", numberText(node.order ?? node.cumulative)),
      make("td", "tv-number tv-normalised-score", numberText(node.score, 3)),
      status,
      make("td", "tv-reason", reasonText(state.model, node)),
    );
    return line;
  }

  function update() {
    setText(anew, edits.replayText());
    const step = state.model.steps[state.step];
    const node = selection.current();
    if (!step || !node) return;
    const focused = body.contains(document.activeElement);
    if (shownStep !== step) body.replaceChildren(...step.nodes.map(row));
    shownStep = step;
    const lines = /** @type {HTMLElement[]} */ ([...body.children]);
    const line = lines.find(({ dataset }) => Number(dataset.node) === node.id);
    for (const other of lines) {
      other.classList.toggle("tv-on", other === line);
      find(other, "button").ariaPressed = String(other === line);
    }
    if (!line) return;
    if (focused) find(line, "button").focus({ preventScroll: true });
    // The next frame measures: now, in the middle of a step, it would force a layout. A listing above keeps its place.
    if (find(card, ".tv-lines").hidden)
      requestAnimationFrame(() => line.checkVisibility() && revealRow(card, line, head));
  }

  anew.addEventListener("click", () => edits.replayChosen());

  return {
    load(model) {
      const isOrdered = [...model.nodes.values()].some((node) => node.order !== null);
      root.classList.toggle("tv-ordered", isOrdered);
      shownStep = null;
      update();
    },
    update,
  };
}
