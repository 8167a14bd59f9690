// @ts-check
// The tests before and after the course: a page of questions by topic. Results leave the browser only as a file. The
// gain from one to the other has a 95% confidence interval (Student's t). Half of the browsers take the two forms of the
// test in the other order, so that a harder form counts in neither direction.
import { make, setText } from "../../../widgets/view/dom.js";
import { recall, remember } from "../../../widgets/view/memory.js";
import { numberText } from "../../../widgets/view/numbers.js";
import { addWords, t } from "../../../widgets/view/translate.js";
import { lessonLink } from "./teacher.js";

/** @import { Item } from "./quiz.js" */
/**
 * @typedef {object} Run one test of one browser
 * @property {string} code a random name of the browser, the same in both tests
 * @property {string} which `before` or `after`
 * @property {"a" | "b"} form of the questions; files of earlier versions have form a before the course and b after it
 * @property {Record<string, number>} right 1 or 0 by topic
 */
/** @typedef {{ mean: number, low: number, high: number, count: number }} Interval */

// 97.5% quantiles of Student's t for 1 to 30 degrees of freedom.
const QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL_QUANTILE = 1.959964;
const COLUMNS = ["code", "test"];
const FORM = "form"; // the next column

/**
 * The quantile for more degrees of freedom by the first terms of the Cornish-Fisher expansion.
 * @param {number} freedom
 */
export function quantile(freedom) {
  if (freedom <= QUANTILES.length) return QUANTILES[freedom - 1];
  const z = NORMAL_QUANTILE;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/**
 * The mean of some differences with its interval; null for fewer than two.
 * @param {number[]} differences
 * @returns {Interval | null}
 */
export function interval(differences) {
  const count = differences.length;
  if (count < 2) return null;
  const centre = mean(differences);
  const variance = differences.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (count - 1);
  const half = quantile(count - 1) * Math.sqrt(variance / count);
  return { mean: centre, low: centre - half, high: centre + half, count };
}

/**
 * The mean of two groups' means, which count alike, with Welch's interval; null if a group has fewer than two values.
 * @param {number[][]} groups
 * @returns {Interval | null}
 */
export function welchInterval(groups) {
  const intervals = groups.map((values) => interval(values));
  const [one, other] = intervals;
  if (!one || !other) return null;
  const squares = [one, other].map(({ mean, high, count }) => ((high - mean) / quantile(count - 1)) ** 2);
  const [first, second] = squares;
  const error = first + second; // four times the squared standard error of the mean of both means
  const freedom = error ** 2 / (first ** 2 / (one.count - 1) + second ** 2 / (other.count - 1));
  const centre = (one.mean + other.mean) / 2;
  const half = error ? (quantile(Math.floor(freedom)) * Math.sqrt(error)) / 2 : 0;
  return { mean: centre, low: centre - half, high: centre + half, count: one.count + other.count };
}

/** @param {Run} run */
const share = ({ right }) => mean(Object.values(right));

/**
 * The gain of the browsers that took both tests: differences of shares, and Hake's normalised gain of the means. For one
 * browser, the interval is over its topics. Null if nothing can be paired.
 * @param {Run[]} before
 * @param {Run[]} after
 */
export function gain(before, after) {
  const later = new Map(after.map((run) => [run.code, run]));
  const earlier = new Map(before.map((run) => [run.code, run])); // a file may have been chosen twice
  const pairs = [...earlier.values()].flatMap((run) => {
    const other = later.get(run.code);
    return other ? [[run, other]] : [];
  });
  if (!pairs.length) return null;
  const halves = ["a", "b"].map((form) => pairs.filter(([run]) => run.form === form)).filter((half) => half.length);
  const [first, last] = [0, 1].map((run) => mean(halves.map((half) => mean(half.map((pair) => share(pair[run]))))));
  const [one, other] = pairs[0];
  const topics = Object.keys(one.right).filter((topic) => topic in other.right);
  /** @param {Run[][]} some */
  const gains = (some) => some.map((pair) => share(pair[1]) - share(pair[0]));
  const differences = pairs.length > 1 ? gains(pairs) : topics.map((topic) => other.right[topic] - one.right[topic]);
  return {
    browsers: pairs.length,
    before: first,
    after: last,
    normalised: first < 1 ? (last - first) / (1 - first) : null,
    swapped: halves.length > 1,
    interval: halves.length > 1 ? welchInterval(halves.map(gains)) : interval(differences),
  };
}

/**
 * One line for each run, without names.
 * @param {Run[]} runs
 */
export function toCsv(runs) {
  const topics = [...new Set(runs.flatMap(({ right }) => Object.keys(right)))];
  const lines = runs.map(({ code, which, form, right }) => [
    code,
    which,
    form,
    ...topics.map((name) => right[name] ?? ""),
  ]);
  return [[...COLUMNS, FORM, ...topics], ...lines].map((line) => `${line.join(",")}\n`).join("");
}

/**
 * The runs in a file of `toCsv`, or in several joined files, each with its head. Lines without a run are left out.
 * @param {string} text
 * @returns {Run[]}
 */
export function fromCsv(text) {
  /** @type {Run[]} */
  const runs = [];
  /** @type {string[]} */
  let topics = [];
  let hasForm = false;
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, ""));
    if (cells[0] === COLUMNS[0] && cells[1] === COLUMNS[1]) {
      hasForm = cells[COLUMNS.length] === FORM;
      topics = cells.slice(COLUMNS.length + Number(hasForm));
      continue;
    }
    const [code, which, ...rest] = cells;
    const form = (hasForm ? rest.shift() : which === "before" ? "a" : "b") === "b" ? "b" : "a";
    if (!topics.length || !["before", "after"].includes(which) || rest.length !== topics.length) continue;
    if (!rest.every((mark) => mark === "0" || mark === "1")) continue;
    const right = Object.fromEntries(topics.map((topic, index) => [topic, Number(rest[index])]));
    runs.push({ code, which, form, right });
  }
  return runs;
}

/** @typedef {Item & { topic: string, title: string }} TopicItem */

const KEY = "unrolled-tests";
export const TESTS = /** @type {Record<string, "before" | "after">} */ ({ pretest: "before", posttest: "after" });

/** @returns {{ code: string, runs: Record<string, Run> }} this browser's code and its last runs */
function readStored() {
  const saved = recall(KEY);
  return saved?.code && saved?.runs ? saved : { code: crypto.randomUUID().slice(0, 8), runs: {} };
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

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
  sentences.push(
    result.swapped
      ? t("Half of the browsers had the questions in the other order: a harder form does not count.")
      : t("All had the same form first: if one form is harder, that is part of the gain."),
  );
  if (result.browsers === 1) sentences.push(t("The interval is over the topics of this one browser."));
  if (normalised !== null) sentences.push(t("Normalised gain (Hake 1998): {gain}.", { gain: numberText(normalised) }));
  return sentences;
}

/**
 * Draws the test into the dock.
 * @param {HTMLElement} root
 * @param {ReturnType<typeof import("./frame.js").createFrame>} frame
 * @param {any} server
 * @param {string} id of TESTS
 */
export async function showPaired(root, frame, server, id) {
  const which = TESTS[id];
  const stored = readStored();
  remember(KEY, stored); // the code decides the order of the forms
  const order = Number.parseInt(stored.code[0], 16) % 2 ? ["b", "a"] : ["a", "b"];
  const ownForm = /** @type {"a" | "b"} */ (order[which === "before" ? 0 : 1]);
  const { items, words, refused } = await server.paired({ which: ownForm === "a" ? "before" : "after" });
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
    const run = { code, which, form: ownForm, right };
    const runs = { ...lastRuns, [which]: run };
    remember(KEY, { code, runs });
    form.hidden = true;
    const count = Object.values(right).reduce((sum, value) => sum + value, 0);
    /** @type {TopicItem[]} */
    const wrong = items.filter((/** @type {TopicItem} */ { topic }) => !right[topic]);
    const sentences = [
      t("{count} of {all} right ({share}).", { count, all: items.length, share: percent(share(run)) }),
    ];
    if (which === "after") sentences.push(...gainSentences(Object.values(runs)));
    result.replaceChildren(...sentences.map((sentence) => make("p", "", sentence)));
    const again = make("ul", "ls-plain", ...wrong.map(({ topic, title }) => make("li", "", lessonLink(topic, title))));
    if (which === "after" && wrong.length) result.append(make("p", "", t("Lessons to look at again:")), again);
    result.append(save(Object.values(runs), `${which}-${code}.csv`));
    result.scrollIntoView({ block: "nearest" });
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
