// @ts-check
// Downloads: pictures of the charts, the trace, the view as a page of its own, and copies of texts. An exported page
// has no server, only its answers.

import { createProgram } from "../../widgets/answers/program.js";
import { copyButton, copyPicture, copyText } from "../../widgets/exports/copying.js";
import { offer, saveButton } from "../../widgets/exports/files.js";
import { pictureSource } from "../../widgets/pictures/pictures.js";
import { find } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

/** @import { AnswersByName, Caption, Card, Selection, State } from "../trace_card.js" */

const SIGNS = { kept: "●", finished: "◎", pruned: "○", lost: "◌" }; // signs of the page's legend as letters

/**
 * @param {HTMLElement} root
 * @param {Selection} selection
 * @param {Map<HTMLElement, Card>} elements
 * @param {{ server: any, plotlySource: string | undefined, drawn: (element: HTMLElement) => Promise<void> }} page
 */
export function createDownloads(root, selection, elements, { server, plotlySource, drawn }) {
  const cards = [...elements.values()];
  /**
   * Writes the checkpoint's label into a file, not its name, which is a secret for a reader's own run.
   * @param {string} json
   */
  function withLabel(json) {
    const { trace, checkpoint } = selection.state.model.payload;
    if (checkpoint === trace.checkpoint) return json;
    const label = JSON.stringify(checkpoint).slice(1, -1).replaceAll("<", "\\u003c");
    return json.replaceAll(trace.checkpoint, () => label);
  }

  // The page's frame comes from the server, Plotly from the browser's cache.
  async function page() {
    const plotly = fetch(/** @type {string} */ (plotlySource)).then((response) => response.text());
    const shell = /** @type {string} */ (await server.shell());
    const fill = /** @type {Record<string, string>} */ ({
      PLOTLY: await plotly,
      PAYLOAD: withLabel(scriptText(selection.state.model.payload)),
      ANSWERS: withLabel(answersText(cards.map((card) => card.answers?.() ?? {}))),
    });
    return shell.replace(/\/\*(PLOTLY|PAYLOAD|ANSWERS)\*\//g, (_, name) => fill[name]);
  }

  /** @type {(element: HTMLElement, name: string, chart: NonNullable<Card["charts"]>[string]) => void} */
  function addChart(element, name, chart) {
    const buttons = find(root, `.tv-downloads[data-chart=${name}]`);
    const called = t(buttons.dataset.name ?? name);
    const caption = () => pictureCaption(selection.state, find(element, "h3, h4").textContent ?? "", element);
    buttons.append(
      ...["PNG", "SVG"].map((format) => {
        const text = t("Download the {name} chart as {format}", { name: called, format });
        return saveButton("tv-download", text, text, async () => {
          await drawn(element);
          return chart.download(format.toLowerCase(), `unrolled-${name}`, caption());
        });
      }),
    );
    const hint = t("Copy the {name} chart as a picture", { name: called });
    const takePicture = () => drawn(element).then(() => chart.picture(caption()));
    buttons.append(copyButton(hint, () => copyPicture(takePicture(), `unrolled-${name}.png`), hint));
  }
  for (const [element, { charts = {} }] of elements)
    for (const [name, chart] of Object.entries(charts)) addChart(element, name, chart);
  for (const [name, { hint, text }] of cards.flatMap((card) => Object.entries(card.copies ?? {})))
    find(root, `.tv-downloads[data-copy=${name}]`).append(copyButton(hint, () => copyText(text()), hint));
  const files = find(root, ".tv-files");
  /** @type {(label: string, hint: string, save: () => any) => void} */
  const addFile = (label, hint, save) => files.append(saveButton("tv-download", label, hint, save));
  addFile(t("Trace (JSON)"), t("Download everything that the search recorded"), () =>
    offer(withLabel(JSON.stringify(selection.state.model)), "application/json", "unrolled-trace.json"),
  );
  if (!server?.shell) return;
  addFile(t("Page (HTML)"), t("Download this view as a page that works offline"), async () =>
    offer(await page(), "text/html", "unrolled.html"),
  );
  if (!server.program) return; // a page without a server
  const program = createProgram(async () => {
    const { trace } = selection.state.model.payload;
    const { checkpoint, source_text: text, strategy, settings, forced, overrides } = trace;
    const answer = await server.program({ checkpoint, text, strategy, settings, forced, overrides });
    return { name: answer.name ?? "", script: answer.script ?? "", note: answer.note, refused: answer.refused };
  });
  files.append(program.button, program.box);
}

/**
 * The caption of a picture of a decoding: what was decoded, by which network and strategy, and what came out.
 * @param {State} state
 * @param {string} title of the chart
 * @param {Element} [card] may have a legend
 * @returns {Caption}
 */
export function pictureCaption({ model, hypothesis }, title, card) {
  const { trace, checkpoint, strategy } = model.payload;
  const source = pictureSource(trace.source_text) ? t("a picture") : trace.source_text;
  const output = model.hypotheses[hypothesis]?.text; // none for a path that the search dropped
  const entries = /** @type {HTMLElement[]} */ ([...(card?.querySelectorAll(":scope > header .tv-legend > li") ?? [])]);
  const legend = entries
    .filter((entry) => !entry.hidden && getComputedStyle(entry).display !== "none")
    .map((entry) => {
      const status = /** @type {HTMLElement | null} */ (entry.querySelector("[data-status]"))?.dataset.status ?? "";
      return `${SIGNS[status] ?? ""} ${entry.textContent}`.trim();
    });
  return {
    title,
    lines: [output === undefined ? source : `${source} → ${output}`, `${checkpoint} · ${strategy}`, legend.join(" · ")],
  };
}

/** The answers of several cards as JSON that may stand in a page. @param {AnswersByName[]} parts */
export function answersText(parts) {
  /** @type {AnswersByName} */
  const all = {};
  for (const part of parts)
    for (const [name, answers] of Object.entries(part))
      if (Object.keys(answers).length) all[name] = { ...all[name], ...answers };
  return scriptText(all);
}

/** JSON that may stand in a script element. @param {object} content */
export const scriptText = (content) => JSON.stringify(content).replaceAll("<", "\\u003c");

/**
 * Server functions that return the stored answers.
 * @param {string} text as written by `answersText`
 * @returns {Record<string, (question: object) => Promise<object> | undefined>}
 */
export function answering(text) {
  /** @type {AnswersByName} */
  const all = JSON.parse(text);
  /** @type {(answers: Record<string, object>) => (question: object) => Promise<object> | undefined} */
  const answerFrom = (answers) => (question) => {
    const answer = answers[JSON.stringify(question)];
    return answer && Promise.resolve(answer);
  };
  return Object.fromEntries(Object.entries(all).map(([name, answers]) => [name, answerFrom(answers)]));
}
