// @ts-check
// The progress of an evaluation, then its result. The server stores it; the browser stores its key.
import { formOf, withoutLost } from "../../../links/scripts/links.js";
import { createAnswerView } from "../../../widgets/answers/answer_view.js";
import { choicesText, createQuestions, readChoices } from "../../../widgets/answers/questions.js";
import { offer, saveButton } from "../../../widgets/exports/files.js";
import { find, findAll, makeButton, setText } from "../../../widgets/view/dom.js";
import { recall, remember } from "../../../widgets/view/memory.js";
import { reveal } from "../../../widgets/view/scrolling.js";
import { addWords, t } from "../../../widgets/view/translate.js";
import { createBrowser } from "./browser.js";
import { matchesEvaluation } from "./same_request.js";

/**
 * @typedef {object} PanelOptions
 * @property {any} server
 * @property {() => Promise<any>} plotly
 * @property {() => Record<string, string>} dark colours of the dark page
 * @property {() => void} anew begins an evaluation, since the stored one is gone
 */
/** @typedef {import("../../../widgets/answers/answer_view.js").Shown & { offer?: string }} PartAnswer */
/** @typedef {{ stage: string, message: string, share: number, refused?: string }} Progress */

const STORAGE_KEY = "unrolled-evaluation";
const REQUEST_STORAGE_KEY = "unrolled-evaluation-request"; // separate, since a long text may be too large to store
const FIRST_POLL_MILLISECONDS = 250; // the first questions come sooner, since an evaluation may be short
const POLL_MILLISECONDS = 800;
const QUICK_POLLS = 4;
const AFTER_NO_ANSWER = 3000;
const GOES_ON = ["waiting", "running"];
const NO_PAUSE = 0;

/**
 * @param {HTMLElement} root
 * @param {PanelOptions} options
 */
export function createPanel(root, { server, plotly, dark, anew }) {
  const [empty, line, result] = findAll(root, ".ev-empty", ".ev-progress", ".ev-result");
  const [status, stop] = findAll(line, ".ev-message", "button");
  const bar = find(line, "progress", HTMLProgressElement);
  const [list, files, card, measure] = findAll(root, ".ev-parts", ".ev-files", ".ev-part", ".ev-offer");
  let key = "";
  let before = ""; // the current evaluation, while another one adds a part to it
  let questionCount = 0; // about the progress of this evaluation
  let resumes = false; // it was begun on an earlier page
  /** @type {Record<string, any> | undefined} */
  let request; // the form's values for the current result
  /** @type {Record<string, any> | undefined} */
  let next; // the form's values for the next result
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  /** @type {[string, string, string][]} */
  let parts = []; // name, title, question
  /** @type {[name: string, value: string][]} */
  let about = []; // the description of the evaluation in its files
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  /** @type {Record<string, Record<string, string | number>>} */
  const choices = {}; // keys: the part, then the control's name
  let shownPart = "";

  const ready = server.words({}).then((/** @type {any} */ { words }) => addWords(words ?? {}));
  /** @type {ReturnType<typeof createAnswerView> | undefined} */
  let content;
  const questions = createQuestions(card, server, "part", (/** @type {PartAnswer} */ answer) => {
    content?.show(answer);
    measure.hidden = !answer.offer;
    setText(measure, answer.offer ?? "");
    root.dataset.part = shownPart;
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
  });
  /** @type {ReturnType<typeof createBrowser> | undefined} */
  let browser;

  measure.addEventListener("click", () => widen().catch(console.error));
  stop.addEventListener("click", () => server.stop({ key }).then(show).catch(console.error));

  /**
   * Shows the progress of an evaluation until it is over.
   * @param {string} begun its key
   */
  function follow(begun) {
    key = begun;
    remember(STORAGE_KEY, key);
    if (next) {
      request = next;
      next = undefined;
      remember(REQUEST_STORAGE_KEY, request);
    }
    questionCount = 0;
    before = "";
    resumes = false;
    root.dataset.stage = "waiting";
    poll().catch(console.error);
  }

  /** Whether an answer is a refusal, which is then shown. @param {{ refused?: string }} answer */
  function isRefused({ refused }) {
    if (refused === undefined) return false;
    line.hidden = false;
    setText(status, refused);
    return true;
  }

  /** Begins the measurement that the current part lacks. */
  async function widen() {
    measure.hidden = true;
    const answer = await server.widen({ key });
    if (isRefused(answer)) return;
    const startedKey = key;
    follow(answer.key);
    before = startedKey;
  }

  async function poll() {
    clearTimeout(waiting);
    const startedKey = key;
    const answer = await server.progress({ key }).catch(() => null);
    if (startedKey !== key) return;
    if (!answer || answer.refused !== undefined) waiting = setTimeout(poll, AFTER_NO_ANSWER);
    else show(answer);
  }

  /** @param {Progress} progress */
  function show({ stage, message, share }) {
    if (stage === "gone" && resumes) {
      remember(STORAGE_KEY, "");
      anew();
      return;
    }
    root.dataset.stage = stage;
    const goesOn = GOES_ON.includes(stage);
    root.setAttribute("aria-busy", String(goesOn));
    line.hidden = stage === "done";
    empty.hidden = true;
    bar.hidden = stop.hidden = !goesOn;
    bar.value = share;
    setText(status, message);
    if (goesOn) waiting = setTimeout(poll, questionCount++ < QUICK_POLLS ? FIRST_POLL_MILLISECONDS : POLL_MILLISECONDS);
    else if (stage === "done") finish().catch(console.error);
    else if (before) goBack();
  }

  // Returns to the earlier evaluation.
  function goBack() {
    key = before;
    before = "";
    remember(STORAGE_KEY, key);
    measure.hidden = false;
  }

  async function finish() {
    const startedKey = key;
    const outline = await server.outline({ key });
    if (startedKey !== key) return;
    if (isRefused(outline)) return;
    result.hidden = false;
    ({ parts, about } = outline);
    questions.forget();
    find(card, ".tv-inspect-side").append(find(card, ".tv-inspect-trust")); // the segments below then come early
    content ??= createAnswerView(root, card, plotly, {
      name: () => `evaluation-${shownPart}`,
      about: () => about,
      dark,
      choose(control, value) {
        choices[shownPart] = { ...choices[shownPart], [control]: value };
        showPart();
      },
    });
    buttons = parts.map(([name, title]) => {
      const button = makeButton("", () => {
        shownPart = name;
        showPart();
        reveal(card);
      });
      button.textContent = title;
      return button;
    });
    list.replaceChildren(...buttons);
    if (!parts.some(([name]) => name === shownPart)) shownPart = parts[0][0];
    showPart();
    browser ??= createBrowser(find(root, ".ev-browser"));
    if (!files.childElementCount) files.append(...kinds().map(([kind, hint]) => fileButton(kind, hint)));
    browser.show(outline.rows, outline.systems);
    document.dispatchEvent(new CustomEvent("unrolled:gather", { detail: "evaluate" }));
  }

  // The result stays until the next one is there. If the form has other values now, a note says so.
  function mark() {
    const form = formOf("evaluate");
    if (form && !result.hidden) root.dataset.stale = String(!request || !matchesEvaluation(form, request));
  }
  document.addEventListener("unrolled:gathered", mark);

  // Asks for the current part with the reader's choices.
  function showPart() {
    for (const [index, [name, title, question]] of parts.entries()) {
      buttons[index].setAttribute("aria-pressed", String(name === shownPart));
      if (name !== shownPart) continue;
      find(card, "h3").textContent = title;
      find(card, ".tv-inspect-question").textContent = question;
    }
    const options = choices[shownPart] ?? {};
    questions.ask({ key, part: shownPart, options }, NO_PAUSE).catch(console.error);
  }

  /** @param {string} text the part and its choices, as in a link */
  function open(text) {
    const choice = readChoices(text);
    if (!choice) return;
    shownPart = choice.view;
    choices[shownPart] = choice.choices;
    if (parts.some(([name]) => name === shownPart)) showPart();
  }

  /** @returns {[kind: string, hint: string][]} */
  const kinds = () => [
    ["html", t("Download the report as a page that needs no network")],
    ["json", t("Download all numbers as JSON")],
    ["csv", t("Download the segments for a spreadsheet")],
  ];

  /** @type {(kind: string, hint: string) => HTMLElement} */
  const fileButton = (kind, hint) =>
    saveButton("tv-download", kind.toUpperCase(), hint, async () => {
      const file = await server.file({ key, kind });
      if (file.refused !== undefined) throw new Error(file.refused);
      offer(file.text, `${file.type};charset=utf-8`, file.name);
    });

  /** Returns to the last evaluation of this browser; false without one. */
  function resume() {
    const storedKey = recall(STORAGE_KEY);
    if (typeof storedKey !== "string" || !storedKey) return false;
    if (storedKey !== key) {
      request = recall(REQUEST_STORAGE_KEY);
      follow(storedKey);
      resumes = true;
    }
    return true;
  }

  /** The parameters of a link for the form and the current part, and sentences on what it omits. @param {any} form */
  function read({ checkpoints = [], kind, pasted, training }) {
    const values = { checkpoint: "", pasted: kind === "paste" ? pasted : "", part: "" };
    if (shownPart) values.part = choicesText(shownPart, choices[shownPart] ?? {});
    const words = withoutLost(values);
    const linkable = checkpoints.filter((/** @type {string} */ name) => {
      const lost = withoutLost({ checkpoint: name });
      words.push(...lost);
      return !lost.length;
    });
    values.checkpoint = linkable.join("~");
    if (kind === "file" || training)
      words.push(t("A link carries no file: only this browser can return to this result."));
    return { values, words };
  }

  /** The form of the stored evaluation, if there is one. */
  const storedRequest = () => recall(STORAGE_KEY) && recall(REQUEST_STORAGE_KEY);

  /** The values of a link, with pasted lines of this browser that were too long for it. @param {any} values */
  const withStoredLines = (values) => ({
    ...(values.kind && values.kind === storedRequest()?.kind && { pasted: storedRequest().pasted }),
    ...values,
  });

  /** Whether the stored evaluation is that of the form, which a link has filled in without files. @param {any} form */
  function isStored(form) {
    const earlier = storedRequest();
    if (!earlier) return false;
    const { file, columns, training } = earlier;
    return matchesEvaluation({ ...form, file, columns, training }, earlier);
  }

  /** @param {Record<string, any>} form its values when an evaluation begins */
  const noteRequest = (form) => {
    next = form;
  };

  return { ready, follow, open, resume, read, storedRequest, withStoredLines, isStored, noteRequest };
}
