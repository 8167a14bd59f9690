// @ts-check
// The tests before and after the course: a page of questions by topic. Results leave the browser only as a file.
import { make, setText } from "../../../../widgets/view/dom.js";
import { recall, remember } from "../../../../widgets/view/memory.js";
import { numberText } from "../../../../widgets/view/numbers.js";
import { addWords, t } from "../../../../widgets/view/translate.js";
import { fromCsv, gain, share, toCsv } from "./gain.js";

/** @import { Item } from "../quiz.js" */
/** @import { Run } from "./gain.js" */
/** @typedef {Item & { topic: string, title: string }} TopicItem */

const KEY = "unrolled-tests";
export const TESTS = /** @type {Record<string, "before" | "after">} */ ({ pretest: "before", posttest: "after" });

/** @returns {{ code: string, runs: Record<string, Run> }} this browser's code and its last runs */
function readStored() {
  const saved = recall(KEY);
  return saved?.code && saved?.runs ? saved : { code: crypto.randomUUID().slice(0, 8), runs: {} };
}

/** @param {number} value */
const percent = (value) => `${Math.round(100 * value)}%`;

/** @param {number} value a share, as a difference in percentage points */
const points = (value) => `${value > 0 ? "+" : ""}${Math.round(100 * value)}`;

/**
 * Sentences about the gain from the first test to the second, over the browsers that did both.
 * @param {Run[]} runs
 */
function gainSentences(runs) {
  const [before, after] = ["before", "after"].map((which) => runs.filter((run) => run.which === which));
  const result = gain(before, after);
  if (!result) return [t("There is no browser with both tests yet.")];
  const sentences = [
    t("Browsers with both tests: {count}. Right before: {before}; after: {after}.", {
      count: result.browsers,
      before: percent(result.before),
      after: percent(result.after),
    }),
  ];
  const { interval: range, normalised } = result;
  if (range)
    sentences.push(
      t("Gain: {gain} percentage points, 95% interval {low} to {high}.", {
        gain: points(range.mean),
        low: points(range.low),
        high: points(range.high),
      }),
    );
  if (result.browsers === 1) sentences.push(t("The interval is over the topics of this one browser."));
  if (normalised !== null) sentences.push(t("Normalised gain (Hake 1998): {gain}.", { gain: numberText(normalised) }));
  return sentences;
}

/**
 * Draws the test into the dock.
 * @param {HTMLElement} root
 * @param {ReturnType<typeof import("../frame.js").createFrame>} frame
 * @param {any} server
 * @param {string} id of TESTS
 */
export async function showPaired(root, frame, server, id) {
  const which = TESTS[id];
  const { items, words, refused } = await server.paired({ which });
  if (refused !== undefined) throw new Error(refused);
  addWords(words);
  frame.label();
  frame.showSteps(0, 0);
  frame.more.hidden = true;
  frame.back.disabled = true;
  setText(frame.next, t("Finish"));
  setText(frame.title, which === "before" ? t("Test before the course") : t("Test after the course"));
  root.setAttribute("aria-label", frame.title.textContent ?? "");
  root.hidden = false;
  const result = make("div", "ls-outcome");
  result.setAttribute("role", "status");
  const hint = t(
    "{count} questions. Nothing is shown until you hand in, and only this browser keeps the result. Do not look anything up.",
    { count: items.length },
  );
  const list = make("ol", "ls-recap", ...items.map(question));
  const submit = make("button", "ls-do", t("Hand in"));
  submit.type = "submit";
  const form = make("form", "ls-paired", make("p", "ls-hint", hint), list, submit);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    handIn();
  });
  frame.prediction.replaceChildren(form, result, comparison());
  root.dataset.ready = String(Number(root.dataset.ready) + 1);

  /** @type {(item: TopicItem, index: number) => HTMLElement} */
  function question(item, index) {
    const group = make("fieldset", "ls-options", make("legend", "", `${index + 1}. ${item.text}`));
    for (const [number, option] of [...item.options, t("I do not know")].entries()) {
      const input = make("input");
      Object.assign(input, { type: "radio", name: item.name, value: String(number), required: true });
      group.append(make("label", "", input, make("span", "", option)));
    }
    return make("li", "", group);
  }

  function handIn() {
    const choices = new FormData(form);
    const right = Object.fromEntries(
      items.map((/** @type {TopicItem} */ { name, topic, answer }) => [
        topic,
        Number(choices.get(name) === String(answer)),
      ]),
    );
    const { code, runs: lastRuns } = readStored();
    const run = { code, which, right };
    const runs = { ...lastRuns, [which]: run };
    remember(KEY, { code, runs });
    form.hidden = true;
    const count = Object.values(right).reduce((sum, value) => sum + value, 0);
    const wrong = items.filter((/** @type {TopicItem} */ { topic }) => !right[topic]);
    const sentences = [
      t("{count} of {all} right ({share}).", { count, all: items.length, share: percent(share(run)) }),
    ];
    if (which === "after") sentences.push(...gainSentences(Object.values(runs)));
    result.replaceChildren(...sentences.map((sentence) => make("p", "", sentence)));
    const again = make("ul", "ls-plain", ...wrong.map(lessonLink));
    if (which === "after" && wrong.length) result.append(make("p", "", t("Lessons to look at again:")), again);
    result.append(save(Object.values(runs), `${which}-${code}.csv`));
    result.scrollIntoView({ block: "nearest" });
  }

  /** @type {(item: TopicItem) => HTMLElement} */
  function lessonLink({ topic, title }) {
    const anchor = make("a", "", title);
    const url = new URL(window.location.href);
    url.search = new URLSearchParams({ lesson: topic }).toString();
    anchor.href = url.href;
    return make("li", "", anchor);
  }
}

/** @type {(runs: Run[], name: string) => HTMLElement} */
function save(runs, name) {
  const anchor = make("a", "ls-small", t("Save the result as a file (CSV, anonymous)"));
  anchor.href = URL.createObjectURL(new Blob([toCsv(runs)], { type: "text/csv" }));
  anchor.download = name;
  return anchor;
}

/** Shows a teacher the gain of a class from its files, which do not leave the browser. */
function comparison() {
  const input = make("input");
  Object.assign(input, { type: "file", multiple: true, accept: ".csv,text/csv" });
  const status = make("div");
  status.setAttribute("role", "status");
  input.addEventListener("change", () => showGain().catch(console.error));
  async function showGain() {
    const texts = await Promise.all([...(input.files ?? [])].map((file) => file.text()));
    status.replaceChildren(...gainSentences(texts.flatMap(fromCsv)).map((sentence) => make("p", "", sentence)));
  }
  const label = make("label", "", t("Choose the files of both tests, all at once."), input);
  return make("details", "ls-recall", make("summary", "", t("For teachers: the gain of a class")), label, status);
}
