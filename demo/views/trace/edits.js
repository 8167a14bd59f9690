// @ts-check
// What-if: asks for the shown decoding anew, with a prefix or an attention row of the reader's choice.
import { makeButton } from "../shared/dom.js";
import { t } from "../shared/translate.js";

/** @import { Selection } from "./reading/selection.js" */

/** @typedef {ReturnType<typeof createEdits>} Edits */

/**
 * @param {HTMLElement} root
 * @param {Selection} selection
 * @param {{
 *   trigger: (name: string, data?: any) => void,
 *   atOnce: (edit: object) => Promise<{ trace: string } | null>,
 *   receive: (trace: string) => void,
 *   editable: boolean,
 * }} page
 */
export function createEdits(root, selection, { trigger, atOnce, receive, editable }) {
  const { state } = selection;
  root.classList.toggle("tv-editable", editable);

  /** @param {number} step */
  const idsBefore = (step) => state.path.slice(0, step).map((node) => node.token_id);

  let asked = 0;
  let forcedAt = /** @type {number | null} */ (null); // step of what was typed or forced last

  /**
   * Everything that the server needs is in the trace itself: the controls may have changed meanwhile.
   * @param {number[]} forced token ids
   * @param {{ typed?: string, override?: any, at?: number | null }} [more] `at`: the step that the reader stands at
   */
  function ask(forced, { typed = "", override = null, at = null } = {}) {
    if (!editable || root.dataset.editing === "true") return;
    const { checkpoint, source_text: text, strategy, settings, overrides } = state.model.payload.trace;
    const last = override ? forced.length - 1 : forced.length;
    const kept = overrides.filter(({ step }) => step <= last);
    root.dataset.editing = "true";
    forcedAt = at;
    const wanted = override ? [...kept, override] : kept;
    send({ checkpoint, text, strategy, settings, forced, typed, overrides: wanted }).catch(console.error);
  }

  /** @param {object} edit by one request; through Gradio's queue if that takes longer or is refused, which says why */
  async function send(edit) {
    asked += 1;
    const mine = asked;
    const answer = await atOnce(edit).catch(() => null);
    if (mine !== asked || root.dataset.editing !== "true") return; // another result has come meanwhile
    if (answer) receive(answer.trace);
    else trigger("edit", edit);
  }

  function load() {
    root.dataset.editing = "false";
  }

  return {
    editable,
    /** @param {string} typed what comes at the step on show */
    type: (typed) => ask(idsBefore(state.step), { typed, at: state.step }),
    /** @param {number[]} weights of the attention at the step on show */
    attend: (weights) =>
      ask(idsBefore(state.step), { override: { step: state.step, weights, layer: state.layer, head: state.head } }),
    /** @param {number[]} forced an edit as a link says it: all the tokens of its prefix */
    replay: (forced) => ask(forced),
    replayChosen() {
      const node = selection.current();
      if (node) ask(state.model.path(node.id).map((each) => each.token_id));
    },
    replayText() {
      const node = selection.current();
      return node ? t("Decode anew from “{token}”", { token: state.model.label(node.token) }) : "";
    },
    /** @param {{ token: string, token_id: number }} token that may come at the step on show */
    forceButton(token) {
      const button = makeButton("tv-force", () => ask([...idsBefore(state.step), token.token_id], { at: state.step }));
      button.textContent = t("force");
      button.title = t("Decode anew with this token here");
      button.setAttribute(
        "aria-label",
        t("Force {token} here and decode anew", { token: state.model.label(token.token) }),
      );
      return button;
    },
    load,
    /** What is under way is not waited for any more, since something else is opened or asked for. */
    leave() {
      load();
      forcedAt = null;
    },
    /** Where the reader forced what is answered now, which may be several tokens. Null for other edits. */
    forcedStep() {
      const step = forcedAt;
      forcedAt = null;
      return step;
    },
  };
}
