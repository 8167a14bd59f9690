// What the filters and orders of Evaluate keep and put first, recomputed by their own words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { filtersOf, ordersOf } from "../../../demo/evaluate/view/lazy/browser.js";

const NAMES = ["Greedy", "Beam 4"];
const CHRF = [
  [49, 51],
  [51, 49],
  [50, 50],
  [90.2, 90.1],
  [20, 80],
];
const report = {
  names: NAMES,
  causes: { search: { title: "search error", remedy: "" }, model: { title: "model error", remedy: "" } },
  badBelow: 50,
  scores: ["comet"],
  rows: CHRF.map((scores, index) => ({
    line: index + 1,
    source: "",
    references: [""],
    scores: [index],
    cells: scores.map((chrf) => ({ output: "", chrf, diff: [], cause: chrf < 30 ? "search" : undefined })),
  })),
};
const BY_WORDS = [
  [/^all segments$/, () => true],
  [/^bad outputs$/, (row) => row.cells.some(({ chrf }) => chrf < report.badBelow)],
  [/^(.+) better than (.+)$/, (row, ...names) => difference(row, ...names) > 0],
  [/^(.+) error$/, (row, kind) => row.cells.some(({ cause }) => cause === kind)],
];

function difference(row, one, other) {
  const [first, second] = [one, other].map((name) => row.cells[NAMES.indexOf(name)].chrf);
  return first - second;
}

test("a filter keeps the rows that its words name", () => {
  for (const { label, holds } of filtersOf(report)) {
    const [words, expected] = BY_WORDS.find(([pattern]) => pattern.test(label));
    const named = label.match(words).slice(1);
    for (const row of report.rows) assert.equal(holds(row), expected(row, ...named), `${label}: line ${row.line}`);
  }
});

test("an order puts first what its words put first", () => {
  const first = ({ of }) => report.rows.toSorted((one, other) => of(one) - of(other))[0].line;
  const firsts = Object.fromEntries(ordersOf(report).map((order) => [order.label, first(order)]));
  assert.deepEqual(firsts, {
    "chrF of Greedy, worst first": 5,
    "chrF of Beam 4, worst first": 2,
    "where Greedy beats Beam 4 most": 2,
    "where Beam 4 beats Greedy most": 5,
    comet: 1,
    "line of the file": 1,
  });
});
