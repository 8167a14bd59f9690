// @ts-check
// What-if: decodes the current source again with a prefix or an attention row of the reader's choice.
import { makeButton } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";

/** @import { Selection, TracePayload } from "../../trace_card.js" */

/** @typedef {ReturnType<typeof createEdits>} Edits */

/**
 * @param {HTMLElement} root
 * @param {Selection} selection
 * @param {{
 *   ask: (edit: object) => Promise<Record<string, any> | null>,
 *   receive: (trace: TracePayload) => void,
 *   refuse: (reason: string) => void,
 *   editable: boolean,
 * }} page
 */
export function createEdits(root, selection, { ask: askServer, receive, refuse, editable }) {
  const { state } = selection;
  root.classList.toggle("tv-editable", editable);

  /** @param {number} step */
  const idsBefore = (step) => state.path.slice(0, step).map((node) => node.token_id);

  let forcedAt = /** @type {number | null} */ (null); // the step of the latest typed or forced token

  /**
   * Sends an edit. All settings come from the trace itself, since the controls may have changed.
   * @param {number[]} forced token ids
   * @param {{ typed?: string, override?: any, at?: number | null, overrides?: any[] }} [more] `at`: the current step;
   *   `overrides`: instead of those of the trace
   */
  function ask(
    forced,
    { typed = "", override = null, at = null, overrides = state.model.payload.trace.overrides } = {},
  ) {
    if (!editable || root.dataset.editing === "true") return;
    const { checkpoint, source_text: text, strategy, settings } = state.model.payload.trace;
    const last = override ? forced.length - 1 : forced.length;
    const applicable = overrides.filter(({ step }) => step <= last);
    if (override) applicable.push(override);
    root.dataset.editing = "true";
    forcedAt = at;
    send({ checkpoint, text, strategy, settings, forced, typed, overrides: applicable }).catch(console.error);
  }

  /** @param {object} edit */
  async function send(edit) {
    const answer = await askServer(edit);
    if (!answer || root.dataset.editing !== "true") return; // another result has arrived
    if (answer.trace) return receive(answer.trace);
    load();
    refuse(answer.refused ?? answer.note ?? "");
  }

  function load() {
    root.dataset.editing = "false";
  }

  return {
    editable,
    /** @param {string} typed the text to force at the current step */
    type: (typed) => ask(idsBefore(state.step), { typed, at: state.step }),
    /** @param {number[]} weights of the attention at the current step */
    attend: (weights) =>
      ask(idsBefore(state.step), { override: { step: state.step, weights, layer: state.layer, head: state.head } }),
    /** @param {{ forced: number[], overrides: object[] }} edit of a link, or of an earlier page */
    replay: ({ forced, overrides }) => ask(forced, { overrides }),
    replayChosen() {
      const node = selection.current();
      if (node) ask(state.model.path(node.id).map((pathNode) => pathNode.token_id));
    },
    replayText() {
      const node = selection.current();
      return node ? t("Decode again from “{token}”", { token: state.model.label(node.token) }) : "";
    },
    /** @param {{ token: string, token_id: number }} token that may come at the current step */
    forceButton(token) {
      const force = () => ask([...idsBefore(state.step), token.token_id], { at: state.step });
      const button = makeButton("tv-force", force, t("force"));
      button.title = t("Decode again with this token here");
      button.ariaLabel = t("Force {token} here and decode again", { token: state.model.label(token.token) });
      return button;
    },
    load,
    /** Stops waiting for an edit, since something else is opened or requested. */
    leave() {
      load();
      forcedAt = null;
    },
    /** Takes the step at which the reader forced tokens for the current answer; null for other edits. */
    forcedStep() {
      const step = forcedAt;
      forcedAt = null;
      return step;
    },
  };
}
