// The views' computations that need no page: numbers, tables, orders, groups of tokens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairTable, sortedRows } from "../../../demo/compare/view/columns.js";
import { firstDifference, isApart } from "../../../demo/compare/view/texts.js";
import { queryText } from "../../../demo/links/scripts/query.js";
import { sentence } from "../../../demo/static/shell/loading.js";
import { certainty } from "../../../demo/trace/cards/next_tokens/next_tokens.js";
import { missedMargin } from "../../../demo/trace/reading/trace.js";
import { metricsTable } from "../../../demo/training/run/curves.js";
import { latestOnly, whenNew } from "../../../demo/training/run/parts.js";
import { plotlyText } from "../../../demo/widgets/charts/plotly.js";
import { blend } from "../../../demo/widgets/charts/svg.js";
import { csvText } from "../../../demo/widgets/exports/files.js";
import { corners } from "../../../demo/widgets/picture_input/drawing.js";
import { cellsText, lookShare, pictureSource } from "../../../demo/widgets/pictures/pictures.js";
import { isEnter } from "../../../demo/widgets/view/dom.js";
import { fits, wordsOf } from "../../../demo/widgets/view/filter.js";
import { chancesText, clamp, numberText, percentText, wholeText } from "../../../demo/widgets/view/numbers.js";
import { t } from "../../../demo/widgets/view/translate.js";

test("the Enter that ends a word of an input method is none, in the order of either browser", () => {
  const enters = (isComposing, keyCode) => isEnter({ key: "Enter", isComposing, keyCode });
  assert.deepEqual([enters(true, 229), enters(true, 13), enters(false, 229)], [false, false, false]);
  assert.equal(enters(false, 13), true);
  assert.equal(isEnter({ key: "a", isComposing: false, keyCode: 65 }), false);
});

test("numbers have a true minus sign, and a number that rounds to zero has none", () => {
  assert.deepEqual(
    [-1.234, -0.001, 0, 2].map((value) => numberText(value)),
    ["−1.23", "0.00", "0.00", "2.00"],
  );
  assert.deepEqual([numberText(-Infinity), numberText(Infinity), numberText(-1.5, 0)], ["−∞", "∞", "−2"]);
  assert.equal(wholeText(1234567), "1,234,567");
  assert.deepEqual([clamp(-1, 0, 3), clamp(5, 0, 3), clamp(2, 0, 3)], [0, 3, 2]);
});

test("a small percentage keeps its first digit", () => {
  const texts = [Math.log(0.4123), Math.log(0.000186), -40, Number.NEGATIVE_INFINITY].map(chancesText);
  const expected = ["41.2% (−0.89 nats)", "0.02% (−8.59 nats)", "<0.00000001% (−40.00 nats)", "0.0% (−∞ nats)"];
  assert.deepEqual(texts, expected);
});

test("a small probability is not written as zero", () => {
  const shares = [1, 0.996, 0.5, 0.001, 0.0004].map((share) => percentText(Math.log(share)));
  assert.deepEqual(shares, ["100%", "100%", "50.0%", "0.1%", "<0.1%"]);
  assert.equal(percentText(-Infinity), "0.0%");
});

test("a table for a spreadsheet has no formula and keeps its quotation marks", () => {
  const text = csvText([
    ["a", null, 1.5],
    ["=1+1", 'say "x"', " kept "],
    ["two\nlines", "a,b", undefined],
  ]);
  assert.equal(text, '\ufeffa,,1.5\r\n\'=1+1,"say ""x"""," kept "\r\n"two\nlines","a,b",\r\n');
});

test("a filter finds all typed words in any order, with or without accents", () => {
  const words = wordsOf(["Übersetzung", null, "spa-eng-gru", undefined, "Más español"]);
  for (const typed of ["", "  ", "espanol", "ESPAÑOL gru", "gru uber"]) assert.ok(fits(words, typed), typed);
  for (const typed of ["lstm", "espanol lstm"]) assert.ok(!fits(words, typed), typed);
});

test("text for Plotly has no tag", () => {
  assert.equal(plotlyText('<b>&"'), '&lt;b&gt;&amp;"');
  assert.equal(plotlyText("abcdef", 4), "abc…");
});

test("a sentence without a translation stays in English with its fields filled in", () => {
  assert.equal(t("{count} of {all}, {missing}", { count: 2, all: 3 }), "2 of 3, {missing}");
});

test("a translation fills in its fields at any position", () => {
  globalThis.unrolled = { words: { "{a} before {b}": "{b} tras {a}" } };
  assert.equal(t("{a} before {b}", { a: 1, b: 2 }), "2 tras 1");
  globalThis.unrolled = undefined;
});

test("colours are blended part by part", () => {
  assert.deepEqual(
    [0, 0.5, 1].map((share) => blend("#000000", "#ff8000", share)),
    ["#000000", "#804000", "#ff8000"],
  );
});

test("a link has the settings that differ from the defaults, and a lone surrogate does not break it", () => {
  const config = {
    parameters: { decode: ["text", "beam_size", "forced"], compare: ["strategies"] },
    leftOut: { beam_size: 4 },
  };
  assert.equal(queryText(config, "decode", { text: "a b\ud800", beam_size: 4 }), "tab=decode&text=a%20b%EF%BF%BD");
  const forced = { beam_size: 5, forced: [[1, 2], [3]] };
  assert.equal(
    queryText(config, "decode", forced, ["tree", "next"]),
    "tab=decode&beam_size=5&forced=1,2~3&hide=tree,next",
  );
  const strategies = [{ strategy: "greedy" }, { strategy: "beam", beam_size: 8, banned: "a~b" }];
  assert.equal(
    queryText(config, "compare", { strategies }),
    "tab=compare&strategies=greedy~beam,beam_size:8,banned:a%257Eb",
  );
});

test("rows without a value come last in either order", () => {
  const rows = [2, null, 1].map((logProb, id) => ({ id, state: "done", logProb }));
  const failed = { id: 3, state: "failed", logProb: 5 };
  const ids = (down) => sortedRows([...rows, failed], "logProb", down).map(({ id }) => id);
  assert.deepEqual(ids(false), [2, 0, 1, 3]);
  assert.deepEqual(ids(true), [0, 2, 1, 3]);
});

test("two outputs differ from the first different token or the end of the shorter one", () => {
  assert.deepEqual(
    [firstDifference([1, 2], [1, 2]), firstDifference([1, 2], [1, 3]), firstDifference([1], [1, 2])],
    [0, 2, 2],
  );
});

test("a replaced word has spaces around it", () => {
  const parts = [
    ["same", "the"],
    ["removed", " old"],
    ["added", "new"],
    ["same", "ish"],
  ];
  assert.deepEqual(
    parts.map((_, index) => isApart(parts, index)),
    [false, true, true, false],
  );
});

test("the table of a pair has two lines and then its words", () => {
  const side = {
    title: "A",
    checkpoint: "a",
    source: "x",
    state: "done",
    text: "y",
    facts: [["log p", "−1"]],
    numbers: { "log p": -1 },
    problem: "",
  };
  const words = [{ left: "y", leftLogProb: -1, right: "z", rightLogProb: -2, difference: -1 }];
  const lines = pairTable({ sides: [side, side], strategy: "Greedy", date: "2026-11-27", words });
  assert.deepEqual(lines[0], ["side", "checkpoint", "source", "strategy", "state", "output", "log p", "note", "date"]);
  assert.deepEqual(lines[1], ["A", "a", "x", "Greedy", "done", "y", -1, "", "2026-11-27"]);
  assert.deepEqual(lines.at(-1), ["y", -1, "z", -2, -1]);
});

test("the points of all curves are a table with one row for each step", () => {
  const trace = (name, x, y) => ({ name, x, y });
  const charts = {
    loss: { data: [trace("training", [10, 20], [3, 2]), trace("validation", [20], [2.5])] },
    rate: { data: [trace("learning rate", [10], [0.1])] },
    norm: { data: [trace("before clipping", [10], [1])] },
  };
  const lines = metricsTable({ charts, overlays: [], snapshots: [{ step: 20, bleu: 30, exact: null }] });
  assert.deepEqual(lines.slice(1), [
    [10, 3, null, null, null, 0.1, 1, 1],
    [20, 2, 2.5, 30, null, null, null, null],
  ]);
});

test("a superseded task is skipped and the newest is done", async () => {
  const done = [];
  let free = () => {};
  let requested = 0;
  const run = latestOnly(async () => {
    const now = requested;
    await new Promise((resolve) => {
      free = resolve;
    });
    done.push(now);
  });
  const ask = (number) => {
    requested = number;
    return run();
  };
  const first = ask(1);
  ask(2);
  ask(3);
  free();
  await new Promise((resolve) => setImmediate(resolve));
  free();
  await first;
  assert.deepEqual(done, [1, 3]);
});

test("the same content is drawn once", () => {
  const drawn = [];
  const draw = whenNew((content) => drawn.push(content));
  for (const content of [[1], [1], [2], null]) draw(content);
  assert.deepEqual(drawn, [[1], [2], null]);
});

test("only a PNG in a data URL is a picture", () => {
  const picture = "data:image/png;base64,AAAA";
  assert.equal(pictureSource(picture), picture);
  for (const other of [
    "data:image/svg+xml;base64,AAAA",
    `${picture}"onerror=`,
    "https://a/b.png",
    3,
    `${picture}${"A".repeat(70000)}`,
  ])
    assert.equal(pictureSource(other), null);
});

test("a cell is named by row and column, and several cells by their number", () => {
  assert.equal(cellsText([0, 0, 0, 1], 2), "row 2, column 2");
  assert.equal(cellsText([1, 0, 0, 1], 2), "2 cells");
  assert.deepEqual([lookShare(0, 1), lookShare(2, 1), lookShare(1, 0)], [0, 1, 0]);
});

test("shapes are drawn around their centre", () => {
  for (const kind of ["square", "triangle", "star"]) {
    const points = corners(kind)(0);
    const sums = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0));
    for (const sum of sums) assert.ok(Math.abs(sum) < 1e-9);
  }
});

test("a candidate's margin is its distance to the last kept one of its group", () => {
  const node = (status, order, group = 0) => ({
    step: 0,
    status,
    group,
    order,
    cumulative: -9,
    reason: "ranked_below",
  });
  const nodes = [
    node("kept", -1),
    node("kept", -2),
    node("finished", -1.5),
    node("kept", -0.1, 1),
    node("pruned", -2.36),
  ];
  const model = /** @type {any} */ ({ steps: [{ nodes }] });
  const margin = missedMargin(model, /** @type {any} */ (nodes[4]));
  assert.equal(margin?.place, 2);
  assert.equal(margin?.margin.toFixed(2), "0.36");
  assert.equal(missedMargin(model, /** @type {any} */ ({ ...nodes[4], reason: "early_stop" })), null);
});

test("a lack of memory and a lost connection have sentences of their own", () => {
  const memory = sentence({ name: "RangeError", message: "Array buffer allocation failed" });
  assert.equal(memory, "This device has too little memory for this checkpoint. Choose a smaller one.");
  const lost = sentence({ name: "FetchError", message: "model.safetensors: 404" });
  assert.equal(lost, "The network could not be loaded. Check the connection, then try again.");
  assert.equal(sentence(new Error("There is no text to decode.")), "There is no text to decode.");
});

test("the description of certainty uses probability and entropy", () => {
  assert.equal(certainty(0.93, 0.85), "Sure of one token");
  assert.equal(certainty(0.7, 1), "Leans to one token");
  assert.equal(certainty(0.4, Math.log(3)), "Torn between a few tokens");
  assert.equal(certainty(0.1, Math.log(50)), "Open: many tokens are possible");
});
