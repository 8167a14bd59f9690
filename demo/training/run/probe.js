// @ts-check
// The probe sentence at the scrubber's evaluation: its attention, and its tokens, free-running and teacher-forced.
import { createChart } from "../../widgets/charts/charts.js";
import { plotlyText } from "../../widgets/charts/plotly.js";
import { find, findAll, make, makeToken, setText } from "../../widgets/view/dom.js";
import { numberText, wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { FULL_BYTE, latestOnly, makeRow, unpackShares, whenNew } from "./parts.js";

export function createRunProbe(root, run, plotly) {
  const card = find(root, ".rv-probe");
  const [source, none, caption] = findAll(card, ".rv-probe-source", ".rv-no-attention", ".rv-caption");
  const key = find(card, ".rv-key");
  const scroller = find(card, ".rv-heatmap-scroll");
  const chart = createChart(root, find(card, ".rv-heatmap"), plotly);
  const [head, body] = findAll(card, ".rv-tokens thead tr", ".rv-tokens tbody");

  function figure() {
    const { figure: frame, source: columns } = run.payload.probe;
    const { attention, free } = run.current().probe;
    const weights = unpackShares(attention);
    const [data] = frame.data;
    const { layout } = frame;
    const z = Array.from({ length: run.payload.probe.rows }, (_, row) =>
      row < free.length
        ? Array.from(columns, (__, column) => weights[row * columns.length + column] / FULL_BYTE)
        : Array.from(columns, () => null),
    );
    return {
      data: [{ ...data, z, hoverongaps: false, hovertemplate: data.hovertemplate.replace(".3f", ".2f") }],
      layout: {
        ...layout,
        yaxis: {
          ...layout.yaxis,
          tickvals: free.map((_, index) => index),
          ticktext: free.map((token) => plotlyText(token, 14)),
        },
      },
    };
  }

  const hasPicture = () => Boolean(run.payload?.probe?.figure && run.current()?.probe?.attention);

  const draw = latestOnly(async () => {
    if (hasPicture()) await chart.draw(figure(), run.payload.dark);
  });

  function token(text, share, classes, words) {
    const chip = makeToken("span", ["rv-token", ...classes].join(" "), text);
    chip.style.setProperty("--share", String(share ?? 0));
    chip.title = [text, ...words].join(", ");
    return make("td", "", chip, make("span", "rv-unseen", words.join(", ")));
  }

  function rowOf(title, texts, bytes, { expected, parting }) {
    const name = make("th", "", title);
    name.scope = "row";
    return makeRow(
      name,
      ...texts.map((text, index) => {
        const wrong = expected && text !== expected[index];
        const apart = index === parting;
        const share = bytes ? bytes[index] / FULL_BYTE : null;
        const words = [
          share !== null && t("probability {value}", { value: numberText(share) }),
          wrong && t("not as in the reference"),
          apart && t("first difference"),
        ];
        const classes = [share === null && "rv-plain", wrong && "rv-wrong", apart && "rv-parting"];
        return token(text, share, classes.filter(Boolean), words.filter(Boolean));
      }),
    );
  }

  function stepCell(index, parting) {
    const apart = index === parting;
    const cell = make("th", apart ? "rv-parting" : "", `${apart ? "≠ " : ""}${index + 1}`);
    cell.scope = "col";
    if (apart) cell.append(make("span", "rv-unseen", ` ${t("first difference")}`));
    return cell;
  }

  const drawTokens = whenNew(({ probe, reference }) => {
    const expected = reference.length ? reference : null;
    const parting = probe.divergence;
    const length = Math.max(probe.free.length, probe.forced.length, reference.length);
    head.replaceChildren(make("td"), ...Array.from({ length }, (_, index) => stepCell(index, parting)));
    const free = rowOf(t("free-running"), probe.free, unpackShares(probe.freeShares), { expected, parting });
    if (probe.more) free.append(make("td", "", t("+ {count} more", { count: wholeText(probe.more) })));
    body.replaceChildren(free);
    if (!expected) return;
    body.append(
      rowOf(t("teacher-forced"), probe.forced, null, { expected, parting }),
      rowOf(t("reference"), reference, unpackShares(probe.referenceShares), { expected: null, parting: null }),
    );
  });

  function update() {
    const probe = run.current()?.probe;
    card.hidden = !run.payload.probe;
    if (!run.payload.probe) return Promise.resolve();
    setText(source, run.payload.probe.source.join(" "));
    const pictured = Boolean(run.payload.probe.figure);
    none.hidden = pictured;
    scroller.hidden = !pictured;
    find(card, ".rv-downloads").hidden = !pictured;
    setText(caption, probe ? probe.caption : t("The probe was not decoded at this evaluation."));
    key.hidden = !run.payload.probe.reference.length;
    if (!probe) return Promise.resolve();
    drawTokens({ probe, reference: run.payload.probe.reference });
    return draw();
  }

  return { update, chart };
}
