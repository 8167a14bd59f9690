// The predictions of a class: the bin of the model's number, and words as they are compared.
import assert from "node:assert/strict";
import { test } from "node:test";

import { binOf } from "../../../demo/learn/dock/lazy/class/class_bars.js";
import { isLoopback } from "../../../demo/learn/dock/lazy/class/class_link.js";
import { plain } from "../../../demo/learn/dock/lazy/predictions/predictions.js";

test("a number is counted in the bin of the nearest value", () => {
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

test("an address of this machine alone is distinguished from one that pupils can reach", () => {
  const alone = ["localhost", "a.localhost", "127.0.0.1", "127.8.0.1", "[::1]"];
  const reachable = ["192.168.1.5", "school.example.org", "127.0.0.1.example.org", "[fe80::1]", "mylocalhost"];
  assert.deepEqual(alone.filter(isLoopback), alone);
  assert.deepEqual(reachable.filter(isLoopback), []);
});
