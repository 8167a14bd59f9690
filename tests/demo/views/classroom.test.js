// The predictions of a class: the bin of the model's number, and words as they are compared.
import assert from "node:assert/strict";
import { test } from "node:test";

import { binOf } from "../../../demo/views/lesson/late/class_bars.js";
import { plain } from "../../../demo/views/lesson/late/typing.js";

test("a number lies in the bin of its nearest neighbour", () => {
  /** @type {[number, number][]} */
  const bins = [
    [1, 5],
    [6, 10],
    [11, 12],
  ];
  assert.deepEqual(
    [1, 5.4, 5.6, 10, 12, 0.9, 12.1].map((value) => binOf(bins, 1, value)),
    [0, 0, 1, 1, 2, -1, -1],
  );
  assert.equal(
    binOf(
      [
        [0, 0.09],
        [0.1, 0.19],
      ],
      0.01,
      0.094,
    ),
    0,
  );
  assert.equal(binOf([], 1, 3), -1);
});

test("words are compared without space signs and in lower case", () => {
  assert.equal(plain("␣Mat "), "mat");
});
