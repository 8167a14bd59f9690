// The gain between the two tests around the course, against values computed by hand and by SciPy.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fromCsv, gain, interval, quantile, toCsv, welchInterval } from "../../../demo/learn/dock/lazy/paired.js";

const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-3, `${value} is not ${expected}`);
const run = (code, which, ...marks) => ({
  code,
  which,
  form: which === "before" ? "a" : "b",
  right: Object.fromEntries(marks.map((mark, at) => [`t${at}`, mark])),
});

test("quantiles equal those of Student's t", () => {
  // scipy.stats.t.ppf(0.975, df)
  for (const [freedom, expected] of [
    [1, 12.7062],
    [11, 2.201],
    [31, 2.0395],
    [59, 2.001],
    [1000, 1.9623],
  ])
    near(quantile(freedom), expected);
});

test("an interval needs two values and is centred on their mean", () => {
  assert.equal(interval([0.5]), null);
  const { mean, low, high } = interval([0.1, 0.3]); // sd 0.1414, standard error 0.1
  near(mean, 0.2);
  near(low, 0.2 - 1.2706);
  near(high, 0.2 + 1.2706);
});

test("the gain of a class counts only browsers with both tests", () => {
  const before = [run("a", "before", 0, 0, 0, 1), run("b", "before", 1, 0, 0, 0), run("x", "before", 1, 1, 1, 1)];
  const after = [run("b", "after", 1, 1, 0, 1), run("a", "after", 1, 1, 0, 0), run("y", "after", 0, 0, 0, 0)];
  const result = gain(before, after);
  assert.equal(result.browsers, 2);
  near(result.before, 0.25);
  near(result.after, 0.625);
  near(result.normalised, 0.5);
  near(result.interval.mean, 0.375);
  assert.deepEqual(gain([...before, ...before], after), result, "a file that is chosen twice counts once");
  assert.equal(gain(before, [run("z", "after", 1)]), null);
});

test("one browser has an interval over its topics", () => {
  const result = gain([run("a", "before", 0, 0, 1, 1)], [run("a", "after", 1, 1, 1, 1)]);
  assert.equal(result.interval.count, 4); // differences 1, 1, 0, 0
  near(result.interval.mean, 0.5);
  near(result.interval.high, 0.5 + 3.182 * Math.sqrt(1 / 3 / 4));
  near(result.normalised, 1);
  assert.equal(gain([run("a", "before", 1, 1)], [run("a", "after", 1, 1)]).normalised, null);
});

test("a harder form counts in neither direction if half of a class took it first", () => {
  // Each pupil gains 0.25; form a is harder by 0.25. Three took a first, one pair took b first.
  const swapped = (item) => ({ ...item, form: item.form === "a" ? "b" : "a" });
  const first = ["a", "b", "c"].flatMap((code) => [run(code, "before", 0, 0, 0, 1), run(code, "after", 1, 1, 1, 0)]);
  const second = ["x", "y"].flatMap((code) => [run(code, "before", 1, 1, 0, 0), run(code, "after", 1, 1, 0, 0)]);
  const runs = [...first, ...second.map(swapped)];
  const [before, after] = ["before", "after"].map((which) => runs.filter((item) => item.which === which));
  const result = gain(before, after);
  near(result.interval.mean, 0.25);
  assert.ok(result.swapped && !gain(before.slice(0, 3), after).swapped);
  assert.deepEqual([result.before, result.after], [0.375, 0.625]);
});

test("the interval of two halves is Welch's", () => {
  // scipy: means 0.2 and 0.5, variances 0.02 and 0.02 of 2 and 2: standard error of the mean of both 0.0707, df 2
  const { mean, high } = welchInterval([
    [0.1, 0.3],
    [0.4, 0.6],
  ]);
  near(mean, 0.35);
  near(high - mean, 4.3027 * 0.0707107);
  assert.equal(welchInterval([[0.1, 0.3], [0.4]]), null);
});

test("results are restored from one file and from several files joined", () => {
  const runs = [run("a", "before", 0, 1), run("a", "after", 1, 1)];
  assert.equal(toCsv(runs), "code,test,form,t0,t1\na,before,a,0,1\na,after,b,1,1\n");
  assert.deepEqual(fromCsv(toCsv(runs)), runs);
  assert.deepEqual(fromCsv(toCsv([runs[0]]) + toCsv([runs[1]])), runs);
  assert.deepEqual(fromCsv(`\ufeff${toCsv(runs).replaceAll(",", ";").replaceAll("\n", "\r\n")}`), runs);
  assert.deepEqual(fromCsv("code,test,t0\na,before,2\nb,later,1\nc,before\n"), []);
  assert.deepEqual(fromCsv("a,before,1\n"), []);
  const old = "code,test,t0,t1\na,before,0,1\na,after,1,1\n"; // a file without the column of forms
  assert.deepEqual(fromCsv(old), runs);
});
