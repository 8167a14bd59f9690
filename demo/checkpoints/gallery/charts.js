// @ts-check
// Quality against source length: for each test set a chart, its legend, its caption and its numbers.
import { createChart } from "../../widgets/charts/charts.js";
import { svgNode } from "../../widgets/charts/svg.js";
import { make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

const STROKES = { solid: "", dash: "6 4", dot: "2 3" };
const MARKERS = {
  circle: "M17 4a4 4 0 1 1-8 0 4 4 0 1 1 8 0z",
  square: "M9 0h8v8H9z",
  diamond: "M13-1l5 5-5 5-5-5z",
  "triangle-up": "M13-1l5 9H8z",
  x: "M9 0l8 8M17 0L9 8",
};

function symbolOf({ colour, dash, symbol }) {
  const picture = svgNode("svg", {});
  picture.setAttribute("viewBox", "0 -1 26 10");
  picture.setAttribute("aria-hidden", "true");
  picture.style.color = `var(--tv-${colour})`;
  const path = (drawing, stroke) => {
    const node = svgNode("path", {});
    node.setAttribute("d", drawing);
    if (stroke) node.setAttribute("stroke-dasharray", stroke);
    picture.append(node);
  };
  path("M0 4h26", STROKES[dash]);
  path(MARKERS[symbol]);
  return picture;
}

function legendOf(lines) {
  const list = make("ul", "cg-legend");
  list.append(
    ...lines.map((line) => {
      const item = make("li");
      item.append(symbolOf(line), make("span", "", line.name));
      return item;
    }),
  );
  return list;
}

function numbersOf({ head, rows, title, numbers }) {
  const details = make("details", "cg-numbers");
  const scroll = make("div", "cg-scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", title);
  const table = make("table");
  const row = (section, tag, cells) => {
    const node = make("tr");
    node.append(...cells.map((cell) => make(tag, "", cell)));
    section.append(node);
  };
  row(table.createTHead(), "th", head);
  const body = table.createTBody();
  for (const cells of rows) row(body, "td", cells);
  scroll.append(table);
  details.append(make("summary", "", numbers), scroll);
  return details;
}

// Puts the charts into the container; resolves when all are drawn.
export function drawCharts(root, container, charts, dark, plotly) {
  const drawn = charts.map((chart) => {
    const card = make("figure", "tv-card cg-chart");
    const scroll = make("div", "tv-scroll");
    const box = make("div", "cg-plot");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "img");
    scroll.setAttribute("aria-label", chart.caption);
    scroll.append(box);
    card.append(
      make("h3", "", chart.title),
      legendOf(chart.legend),
      scroll,
      make("figcaption", "", chart.caption),
      numbersOf(chart),
    );
    return { card, scroll, draw: () => createChart(root, box, plotly).draw(chart.figure, dark) };
  });
  container.replaceChildren(...drawn.map(({ card }) => card));
  return Promise.all(
    drawn.map(({ draw, scroll }) =>
      draw().catch((error) => {
        scroll.textContent = t("{reason}: the chart is missing, the table below has its numbers.", {
          reason: error.message,
        });
      }),
    ),
  );
}
