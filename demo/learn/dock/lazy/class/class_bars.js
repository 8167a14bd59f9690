// @ts-check
// The predictions of a class as bars: of options, bins, positions of a drawing, or typed words beside the model's.
import { asData, make } from "../../../../widgets/view/dom.js";
import { t } from "../../../../widgets/view/translate.js";
import { outputOf, strongest } from "../predictions/drawing.js";
import { percentText, plain, shareBar } from "../predictions/predictions.js";

/** @import { ClassState } from "./classroom.js" */
/** @import { Prediction } from "../predictions/predictions.js" */
/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number} share the length, 0 to 1
 * @property {string} text
 * @property {boolean} [right] whether it is what the model does
 * @property {string} [note]
 * @property {number} [model] the length of the model's bar, 0 to 1
 */

/**
 * The index of the bin that a number lies in, or its nearest neighbour among those that a reader can choose; -1 outside.
 * @param {[number, number][]} bins the first and the last number of each
 * @param {number} resolution the difference of neighbouring numbers
 * @param {number} value
 */
export function binOf(bins, resolution, value) {
  if (!bins.length || value < bins[0][0] || value > bins[bins.length - 1][1]) return -1;
  return bins.findIndex(([, last]) => value < last + resolution / 2);
}

/**
 * @param {Prediction | undefined} prediction
 * @param {ClassState} state
 * @param {any} answer the model's answer in the form of a guess; null before it is revealed
 * @returns {HTMLElement[]} nothing before the first prediction
 */
export function classBars(prediction, state, answer) {
  if (!prediction || !state.counts || !state.predicted) return [];
  const kinds = { draw: positions, type: words };
  const rows = (kinds[prediction.kind] ?? options)(prediction, state, answer).map(row);
  if (prediction.kind !== "type" || answer === null) return rows;
  return [make("p", "ls-hint", t("Predictions of the class · probability in the model")), ...rows];
}

/** @type {(prediction: Prediction, state: ClassState, answer: any) => Bar[]} */
function options(prediction, { counts = [], bins = [] }, answer) {
  const most = Math.max(...counts, 1);
  const places = { number: () => binOf(bins, prediction.resolution, answer), order: () => answer[0] };
  const right = answer === null ? -1 : (places[prediction.kind]?.() ?? answer);
  return counts.map((count, index) => ({
    name: bins[index] ? nameOf(bins[index]) : (prediction.options[index] ?? String(index + 1)),
    share: count / most,
    text: String(count),
    ...rightIf(index === right),
  }));
}

/** @param {boolean} right */
const rightIf = (right) => ({ right, note: right ? t("what happened") : "" });

/** @param {[number, number]} bin */
const nameOf = ([first, last]) => (first === last ? String(first) : `${first} – ${last}`);

/** @type {(prediction: Prediction, state: ClassState, answer: any) => Bar[]} */
function positions({ rows, columns = [], low, high }, { drawn = [], predicted }, answer) {
  return drawn.map(({ value, count }, index) =>
    rows?.length
      ? {
          name: `${outputOf(rows[index] ?? "")} → ${columns[value] ?? ""}`,
          share: count / predicted,
          text: String(count),
          ...rightIf(answer !== null && strongest(answer.values[index] ?? []) === value),
        }
      : { name: columns[index] ?? "", share: (value - low) / (high - low), text: String(value) },
  );
}

/**
 * The words that the class typed; once revealed, the model's most probable words come first.
 * @type {(prediction: Prediction, state: ClassState, answer: any) => Bar[]}
 */
function words(_prediction, { typed = [], predicted }, answer) {
  const all = Math.max(predicted, 1);
  /** @type {{ columns: string[], values: number[] }} */
  const { columns, values } = answer ?? { columns: [], values: [] };
  const counts = new Map(typed.map(({ text, count }) => [plain(text), count]));
  const ofModel = columns.map((word, index) => {
    const count = counts.get(plain(word)) ?? 0;
    return {
      name: word,
      share: count / all,
      text: `${count} · ${percentText(values[index])}`,
      right: values[index] === values[0],
      model: values[index] / 100,
    };
  });
  const named = new Set(columns.map(plain));
  const others = typed.filter(({ text }) => !named.has(plain(text)));
  return [...ofModel, ...others.map(({ text, count }) => ({ name: text, share: count / all, text: String(count) }))];
}

/** @param {Bar} bar */
function row({ name, share, text, right, note, model }) {
  const label = asData(make("span", "", name, note && make("small", "", ` · ${note}`)));
  const lengths = [share, model].filter((length) => length !== undefined).map(shareBar);
  const className = right ? "ls-bar ls-right" : "ls-bar";
  return make("div", className, label, make("span", "ls-lengths", ...lengths), make("b", "", text));
}
