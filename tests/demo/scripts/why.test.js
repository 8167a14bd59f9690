// @ts-check
// The results of the methods of attribution, as numbers to show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingShare, shares, shownPositions, strongestOf, whyTable } from "../../../demo/trace/cards/why/why.js";

/** @param {number[]} source @param {number[] | null} [prefix] */
const method = (source, prefix = null) => ({ title: "m", paper: "p", source, prefix, gap: null, signed: true });

test("a share is relative to the strongest token of its method in source and prefix, and signed", () => {
  assert.deepEqual(shares(method([1, -4], [2])), { source: [0.25, -1], prefix: [0.5] });
  assert.deepEqual(shares(method([0, 0])), { source: [0, 0], prefix: [] });
  assert.deepEqual(shares(method([0.001, 0])), { source: [0.1, 0], prefix: [] }, "what reads 0.00 is not strong");
});

test("a method that does not add up misses a share of the sum of its scores", () => {
  assert.equal(missingShare({ ...method([3, -1], [2]), gap: 1 }), 0.25);
  assert.equal(missingShare(method([3, -1])), 0, "attention need not add up");
  assert.equal(missingShare({ ...method([0, 0]), gap: 0 }), 0);
});

test("the strongest token may have a negative score", () => {
  assert.equal(strongestOf([1, -4, 2]), 1);
});

test("a long table shows the tokens that are strong by some method", () => {
  const methods = { one: method([0, 5, 1, 0]), other: method([3, 0, 0, 1]) };
  assert.deepEqual(shownPositions(methods, 4), [0, 1, 2, 3]);
  assert.deepEqual(shownPositions(methods, 3).sort(), [0, 1, 3]);
  assert.deepEqual(shownPositions({}, 3), []);
});

test("the table has a line for each token and a column for each method", () => {
  const explained = { value: -1, sentence: "", methods: { one: method([1, 2], [3]), other: method([4, 5]) } };
  const lines = whyTable(
    explained,
    (index) => `s${index}`,
    (index) => `p${index}`,
  );
  assert.deepEqual(lines, [
    ["part", "token", "one", "other"],
    ["source", "s0", 1, 4],
    ["source", "s1", 2, 5],
    ["prefix", "p0", 3, ""],
  ]);
});
