// The computations of charts before drawing: where values lie, what is at a point, which colour a weight has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { captionLines, factorFor, labelsFor, scaleFigure, withCaption } from "../../../demo/widgets/charts/figures.js";
import { ramp } from "../../../demo/widgets/charts/painting.js";
import { plannedPlane, plottedPlane, pointAt } from "../../../demo/widgets/charts/plane.js";

const LAYOUT = {
  width: 120,
  height: 90,
  margin: { l: 10, r: 10, t: 20, b: 10 },
  xaxis: { range: [-0.5, 4.5] },
  yaxis: { range: [2.5, -0.5] }, // the first row is the upper one
};
const PLANE = plannedPlane(LAYOUT);

test("values are drawn at the positions that Plotly gives them", () => {
  const axis = (offset, length, range) => ({ _offset: offset, _length: length, range });
  const plotted = plottedPlane({
    _fullLayout: { xaxis: axis(10, 100, LAYOUT.xaxis.range), yaxis: axis(20, 60, LAYOUT.yaxis.range) },
  });
  for (const plane of [PLANE, plotted]) {
    assert.deepEqual([plane.left, plane.top, plane.width, plane.height], [10, 20, 100, 60]);
    assert.deepEqual([plane.x(-0.5), plane.x(2), plane.x(4.5)], [0, 50, 100]);
    assert.deepEqual([plane.y(-0.5), plane.y(1), plane.y(2.5)], [0, 30, 60]);
  }
});

test("a point of a heatmap belongs to the cell around it, and a point outside to none", () => {
  const z = Array.from({ length: 3 }, () => [0, 0, 0, 0, 0]);
  const point = (x, y) => pointAt([{ type: "heatmap", z }], PLANE, { x, y });
  assert.deepEqual(point(11, 21), { x: 0, y: 0 });
  assert.deepEqual(point(29, 39), { x: 0, y: 0 });
  assert.deepEqual(point(31, 41), { x: 1, y: 1 });
  assert.deepEqual(point(109, 79), { x: 4, y: 2 });
  for (const [x, y] of [
    [9, 30],
    [30, 19],
    [111, 30],
    [30, 81],
  ])
    assert.equal(point(x, y), null);
});

test("rows reserved for longer paths have no cells", () => {
  assert.equal(pointAt([{ type: "heatmap", z: [[0, 0]] }], PLANE, { x: 20, y: 70 }), null);
  assert.equal(pointAt([{ type: "heatmap", z: [[0, 0]] }], PLANE, { x: 90, y: 30 }), null);
});

test("a click selects the nearest visible point with data within 20 pixels", () => {
  const visible = { x: [0, 1], y: [0, 0], customdata: [7, 8] };
  const data = [{ x: [0], y: [1] }, visible, { x: [4], y: [2], customdata: [9], visible: false }];
  const dataAt = (x, y) => pointAt(data, PLANE, { x, y })?.customdata;
  assert.equal(dataAt(20, 30), 7);
  assert.equal(dataAt(31, 30), 8);
  assert.equal(dataAt(20, 49), 7);
  assert.equal(dataAt(20, 51), undefined, "20 pixels away");
  assert.equal(dataAt(100, 70), undefined, "hidden");
});

test("a weight between two stops has a blended colour, and a weight beyond the ends that of the end", () => {
  const colour = ramp([
    [0, "#000000"],
    [0.5, "#ff0000"],
    [1, "#ffffff"],
  ]);
  const expected = { 0: "#000000", 0.25: "#800000", 0.5: "#ff0000", 0.75: "#ff8080", 1: "#ffffff" };
  for (const [share, hex] of Object.entries(expected)) assert.equal(colour(Number(share)), hex);
  assert.equal(colour(-0.1), "#000000");
  assert.equal(colour(1.2), "#ffffff");
});

test("scaling changes sizes in pixels and not values", () => {
  const trace = { x: [1, 2], width: [0.5], marker: { size: [4, 6], line: { width: 1 } }, line: { dash: "4px,3px" } };
  assert.deepEqual(scaleFigure(trace, 2), {
    x: [1, 2],
    width: [0.5],
    marker: { size: [8, 12], line: { width: 2 } },
    line: { dash: "8px,6px" },
  });
  const layout = { height: 100, xaxis: { range: [0, 4], title: { standoff: 8 } }, meta: { min_width: 280 } };
  const larger = { height: 200, xaxis: { range: [0, 4], title: { standoff: 16 } }, meta: { min_width: 560 } };
  assert.deepEqual(scaleFigure(layout, 2), larger);
  const corners = { x0: -12, x1: 12 };
  assert.deepEqual(scaleFigure(corners, 2), corners);
  assert.deepEqual(scaleFigure({ xsizemode: "pixel", ...corners }, 2), { xsizemode: "pixel", x0: -24, x1: 24 });
});

test("a chart fills the space in both directions up to a limit of its letters", () => {
  global.window = { innerWidth: 1440 };
  const figure = { data: [{ textfont: { size: 10 } }], layout: { font: { size: 12 } } };
  const usual = { width: 500, height: 300 };
  assert.equal(factorFor(figure, usual, { width: 1400, height: 900 }), 2.8);
  assert.equal(factorFor(figure, usual, { width: 1400, height: 400 }), 2.4, "24 pixels for the smallest");
  global.window = { innerWidth: 390 };
  assert.equal(factorFor(figure, usual, { width: 360, height: 700 }), 1);
});

test("the caption of a picture is broken for its width and moves nothing in the chart", () => {
  const caption = { title: "Tree", lines: ["a  long\nsource <b> of several words", "", "y".repeat(60)] };
  const lines = captionLines(caption, 120);
  assert.deepEqual(lines.slice(0, 4), ["Tree", "a long source", "<b> of several", "words"]);
  assert.equal(lines.slice(4).join(""), "y".repeat(60));
  assert.ok(captionLines({ title: "", lines: ["图".repeat(60)] }, 120).every((line) => line.length <= 8));
  const data = [{ type: "heatmap", showscale: false }];
  const picture = withCaption({ data, layout: LAYOUT }, 120, caption);
  assert.ok(picture.layout.title.text.startsWith("<b>Tree</b><br>a long source<br>&lt;b&gt; of several<br>"));
  const { layout } = picture;
  assert.equal(layout.height - layout.margin.t - layout.margin.b, 60);
  assert.equal(layout.width - layout.margin.l - layout.margin.r, 100, "the scale has a room of its own");
  assert.equal(picture.data[0].showscale, true);
  assert.equal(data[0].showscale, false, "the page's chart stays as it is");
});

test("the two bars of a row have labels above and below, a share is in percent, and what two rows share has none", () => {
  const bars = (x) => ({ type: "bar", orientation: "h", x, y: ["attention", "gradient", "noise"] });
  const figure = { data: [bars([1, 1, 0.146]), bars([0.3, 0.2, 0.101])], layout: { xaxis: { tickformat: ".0%" } } };
  const labels = labelsFor(figure, [0.146, 0.101, 1, 0.146]);
  assert.deepEqual(
    labels.map(({ text, x, y, ay }) => [text, x, y, ay > 0]),
    [
      ["<b>14.6%</b>", 0.146, "noise", false],
      ["<b>10.1%</b>", 0.101, "noise", true],
    ],
  );
  const line = { x: [0, 1], y: [5, 12.5] };
  assert.deepEqual(labelsFor({ data: [line, { ...line }, { ...line }], layout: {} }, [12.5]), []);
  assert.equal(labelsFor({ data: [line, { ...line }], layout: {} }, [12.5])[0].text, "<b>12.5</b>");
});
