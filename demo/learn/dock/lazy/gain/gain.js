// @ts-check
// The gain from the test before the course to the test after it, with a 95% confidence interval (Student's t).

/**
 * @typedef {object} Run one test of one browser
 * @property {string} code a random name of the browser, the same in both tests
 * @property {string} which `before` or `after`
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
  const mean = differences.reduce((sum, value) => sum + value, 0) / count;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = quantile(count - 1) * Math.sqrt(variance / count);
  return { mean, low: mean - half, high: mean + half, count };
}

/** @param {Run} run */
export function share({ right }) {
  const values = Object.values(right);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

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
  const [first, last] = [0, 1].map((run) => pairs.reduce((sum, pair) => sum + share(pair[run]), 0) / pairs.length);
  const [one, other] = pairs[0];
  const topics = Object.keys(one.right).filter((topic) => topic in other.right);
  const differences =
    pairs.length > 1
      ? pairs.map((pair) => share(pair[1]) - share(pair[0]))
      : topics.map((topic) => other.right[topic] - one.right[topic]);
  return {
    browsers: pairs.length,
    before: first,
    after: last,
    normalised: first < 1 ? (last - first) / (1 - first) : null,
    interval: interval(differences),
  };
}

/**
 * One line for each run, without names.
 * @param {Run[]} runs
 */
export function toCsv(runs) {
  const topics = [...new Set(runs.flatMap(({ right }) => Object.keys(right)))];
  const lines = runs.map(({ code, which, right }) => [code, which, ...topics.map((topic) => right[topic] ?? "")]);
  return [[...COLUMNS, ...topics], ...lines].map((line) => `${line.join(",")}\n`).join("");
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
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, ""));
    if (cells[0] === COLUMNS[0] && cells[1] === COLUMNS[1]) {
      topics = cells.slice(COLUMNS.length);
      continue;
    }
    const [code, which, ...marks] = cells;
    if (!topics.length || !["before", "after"].includes(which) || marks.length !== topics.length) continue;
    if (!marks.every((mark) => mark === "0" || mark === "1")) continue;
    runs.push({ code, which, right: Object.fromEntries(topics.map((topic, index) => [topic, Number(marks[index])])) });
  }
  return runs;
}
