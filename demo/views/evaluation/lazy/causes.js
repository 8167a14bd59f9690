// @ts-check
// The training pairs that may have caused an output, and the output of a network that is trained without them.
import { make, makeButton, setText } from "../../shared/dom.js";
import { recall, remember } from "../../shared/memory.js";
import { wholeText } from "../../shared/numbers.js";
import { t } from "../../shared/translate.js";
import { makeText } from "./texts.js";

/** @import { System } from "./browser.js" */
/** @typedef {{ place: number, source: string, target: string, evidence: string }} Pair */
/** @typedef {{ key: string, line: number, system: string }} Output */
/** @typedef {{ active: boolean, share: number, message: string, sentences: string[], flipped: boolean, refused?: string }} Experiment */

const STORAGE_KEY = "unrolled-experiment"; // the key for the output and the run of the last experiment
const POLL_MILLISECONDS = 2000;

/**
 * @param {any} server
 * @param {(request: object) => void} retrain
 */
export function createPossibleCauses(server, retrain) {
  const root = make("section", "ev-behind");
  const [buttons, finding, list, line] = [
    make("p", "ev-links"),
    make("p", "ev-message"),
    make("ol"),
    make("div", "ev-progress"),
  ];
  const [bar, stage] = [Object.assign(make("progress"), { max: 1 }), make("span")];
  bar.setAttribute("aria-label", t("share of the training that is done"));
  stage.setAttribute("role", "status");
  const stop = makeButton("", () => server.end({ run }).then(show).catch(console.error));
  const retrainButton = makeButton("ev-open", begin);
  const outcome = make("div", "ev-why");
  line.append(bar, stage, stop);
  root.append(buttons, finding, list, retrainButton, line, outcome);
  /** @type {Output} */
  let output = { key: "", line: 0, system: "" };
  let run = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  /** @param {string} system */
  async function openSystem(system) {
    output = { ...output, system };
    const started = output;
    clear();
    setText(finding, t("Searching the training pairs."));
    const answer = await server.behind(output).catch(() => ({ refused: t("The server did not answer. Try again.") }));
    if (started !== output) return;
    if (answer.refused !== undefined) setText(finding, answer.refused);
    else offer(answer);
  }

  /** @param {{ rows: Pair[], note: string, looked_at: number }} proposal */
  function offer({ rows, note, looked_at }) {
    const values = { count: rows.length, all: wholeText(looked_at), system: output.system };
    const sentence = rows.length
      ? t("{system}: these {count} of {all} training pairs may have caused its output, the likeliest first.", values)
      : t("None of {all} training pairs resembles this output.", values);
    setText(finding, [sentence, note].filter(Boolean).join(" "));
    list.replaceChildren(...rows.map(item));
    retrainButton.hidden = !rows.length;
  }

  /** @param {Pair} pair */
  function item({ place, source, target, evidence }) {
    const label = make("label");
    const box = Object.assign(make("input"), { type: "checkbox", checked: true, value: String(place) });
    const texts = make("span");
    texts.append(makeText(source), " → ", makeText(target), make("small", "", evidence));
    label.append(box, texts);
    const entry = make("li");
    entry.append(label);
    return entry;
  }

  function begin() {
    const ticked = /** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll(":checked"));
    retrain({ ...output, dropped: [...ticked].map(({ value }) => Number(value)) });
  }

  /** Shows an experiment that has begun. @param {string} begun its run */
  function follow(begun) {
    run = begun;
    remember(STORAGE_KEY, { output, run });
    ask().catch(console.error);
  }

  async function ask() {
    clearTimeout(waiting);
    const started = run;
    const answer = await server.experiment({ run }).catch(() => null);
    if (started !== run) return;
    if (answer) show(answer);
    else waiting = setTimeout(ask, POLL_MILLISECONDS);
  }

  /** @param {Experiment} experiment */
  function show({ active = false, share = 0, message, sentences = [], flipped, refused }) {
    clearTimeout(waiting);
    line.hidden = sentences.length > 0;
    bar.hidden = stop.hidden = !active;
    bar.value = share;
    setText(stage, refused ?? message);
    outcome.hidden = !sentences.length;
    const title = flipped
      ? t("Without these pairs the output is right.")
      : t("Without these pairs the output is still not right.");
    outcome.replaceChildren(make("strong", "", title), ...sentences.map((sentence) => make("p", "", sentence)));
    if (active) waiting = setTimeout(ask, POLL_MILLISECONDS);
  }

  function clear() {
    clearTimeout(waiting);
    run = "";
    setText(finding, "");
    list.replaceChildren();
    retrainButton.hidden = line.hidden = outcome.hidden = true;
  }

  /**
   * Shows the buttons for the outputs of a segment.
   * @type {(key: string, segment: number, systems: System[]) => HTMLElement}
   */
  function open(key, segment, systems) {
    clear();
    output = { key, line: segment, system: "" };
    setText(stop, t("Stop"));
    setText(retrainButton, t("Leave these out and train again"));
    buttons.replaceChildren(
      ...systems.map(({ name }) => {
        const button = makeButton("ev-open", () => openSystem(name));
        button.textContent =
          systems.length > 1 ? t("Training pairs behind {system}", { system: name }) : t("Training pairs behind it");
        return button;
      }),
    );
    const stored = recall(STORAGE_KEY);
    if (stored?.output?.key === key && stored.output.line === segment) {
      output = stored.output;
      follow(stored.run);
    }
    return root;
  }

  return { show: open, follow };
}
