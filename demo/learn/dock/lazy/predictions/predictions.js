// @ts-check
// Predictions by choosing, by ordering, as a number or as a typed word; and the answer beside them.
import { asData, isEnter, make, makeButton, setText } from "../../../../widgets/view/dom.js";
import { numberText, shortText } from "../../../../widgets/view/numbers.js";
import { t } from "../../../../widgets/view/translate.js";
import { drawing } from "./drawing.js";

const MAX_CHARACTERS = 40; // the limit of histogram.py

/**
 * A word without its space sign and in lower case, as guesses and tokens are compared.
 * @param {string} text
 */
export const plain = (text) => text.replace(/^␣/, "").trim().toLowerCase();

/** A bar of a length that the style sheet draws. @param {number} share 0 to 1 */
export function shareBar(share) {
  const bar = make("i");
  bar.style.setProperty("--share", String(share));
  return bar;
}

/** @param {number} value in percent */
export const percentText = (value) => `${numberText(value, value < 9.95 ? 1 : 0)}%`;

/**
 * @typedef {object} Prediction
 * @property {"choose" | "order" | "number" | "draw" | "type"} kind
 * @property {string[]} options
 * @property {boolean} [fromModel] whether the model wrote the options
 * @property {number} low
 * @property {number} high
 * @property {number} resolution the difference of neighbouring numbers that a reader can choose
 * @property {string[]} [rows] of a drawing
 * @property {string[]} [columns]
 * @property {string[]} [factors] of the probability of each row
 * @property {number} [keep] how many rows of a drawing to mark
 */
/** @typedef {{ answer: any, shown?: any }} Revealed the model's answer, in the form of a guess, and as text */
/**
 * @typedef {object} Question a prediction on the page
 * @property {HTMLElement} element
 * @property {(guess: any, revealed: Revealed) => string} reveal shows both, or the answer alone if the guess is
 *   undefined; returns a sentence on the difference, or ""
 */
/** @typedef {(prediction: Prediction, predict: (guess: any) => void) => Question} Ask */

/** @type {(prediction: Prediction, option: number) => HTMLElement} */
const optionText = ({ options, rows = [], fromModel }, option) => {
  const text = setText(make("span"), options[option] ?? rows[option]);
  return fromModel || !options.length ? asData(text) : text;
};

/** @type {(field: HTMLInputElement, button: HTMLButtonElement) => void} */
const pressOnEnter = (field, button) => field.addEventListener("keydown", (event) => isEnter(event) && button.click());

/** One of the options, or several rows of a drawing, which keeps those that are marked 0. @type {Ask} */
function choosing(prediction, predict) {
  const { options, factors = [], keep = 0 } = prediction;
  const rows = (keep && prediction.rows) || options;
  const marks = rows.map(() => 1);
  const buttons = rows.map((_, row) => {
    const parts = [optionText(prediction, row), factors[row] && make("span", "", factors[row])];
    const button = makeButton("ls-option", () => (keep ? toggle(row) : predict(row)), ...parts);
    button.setAttribute("aria-pressed", "false");
    return button;
  });
  const hint = t("Mark {count}. Each line: the probability of the prefix × that of its next token.", { count: keep });
  const done = makeButton("ls-do", () => predict(marks), t("Predict"));
  done.disabled = true;
  const parts = keep ? [make("p", "ls-hint", hint), ...buttons, done] : buttons;
  const element = make("div", keep ? "ls-options ls-keep" : "ls-options", ...parts);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", t("Your prediction"));

  /** @param {number} row */
  function toggle(row) {
    marks[row] = 1 - marks[row];
    buttons[row].setAttribute("aria-pressed", String(!marks[row]));
    done.disabled = marks.filter((mark) => !mark).length !== keep;
  }

  return {
    element,
    reveal(chosen, { answer }) {
      done.hidden = true;
      /** @type {((row: number) => boolean)[]} */
      const [isChosen, isRight] = keep
        ? [(row) => chosen?.[row] === 0, (row) => answer.values[row][0] === 1]
        : [chosen, answer].map((option) => (row) => row === option);
      for (const [index, button] of buttons.entries()) {
        button.disabled = true;
        button.setAttribute("aria-pressed", String(isChosen(index)));
        button.classList.toggle("ls-right", isRight(index));
        if (keep) button.lastChild?.appendChild(make("b", "", ` = ${shortText(answer.products[index], 2)}`));
        const notes = [isChosen(index) && t("your prediction"), isRight(index) && t("what happened")].filter(Boolean);
        if (notes.length) button.append(make("small", "", notes.join(" · ")));
      }
      if (chosen === undefined) return "";
      if (rows.every((_, row) => isChosen(row) === isRight(row))) return t("You predicted it.");
      if (!keep) return t("You expected something else.");
      const sums = [isChosen, isRight].map((isMarked) =>
        answer.products.reduce((sum, product, row) => sum + (isMarked(row) ? product : 0), 0),
      );
      const [own, right] = sums.map((sum) => shortText(sum, 2));
      return t("Yours have a probability of {own} together, and those of the search {right}.", { own, right });
    },
  };
}

/** @type {Ask} */
function numbering({ low, high, resolution }, predict) {
  const [range, field] = ["range", "number"].map((type) => {
    const value = String(Number((Math.round((low + high) / 2 / resolution) * resolution).toFixed(2)));
    const limits = { min: String(low), max: String(high), step: String(resolution) };
    const input = Object.assign(make("input"), { type, ...limits, value });
    input.setAttribute("aria-label", t("Your prediction"));
    return input;
  });
  /** @type {(other: HTMLInputElement, input: HTMLInputElement) => void} */
  const follow = (other, input) => input.addEventListener("input", () => Object.assign(other, { value: input.value }));
  follow(field, range);
  follow(range, field);
  const button = makeButton("ls-do", () => {
    const value = Number(field.value);
    if (field.value === "" || !Number.isFinite(value)) return field.focus();
    predict(Math.min(Math.max(value, low), high));
  });
  button.textContent = t("Predict");
  pressOnEnter(field, button);
  const element = make("div", "ls-number", range, field, button);
  return {
    element,
    reveal(chosen, { answer, shown }) {
      for (const control of [range, field, button]) control.disabled = true;
      const isGuessed = chosen !== undefined;
      field.value = isGuessed ? String(chosen) : "";
      for (const control of [range, field]) control.hidden = !isGuessed;
      button.hidden = true;
      const bars = make("div", "ls-bars");
      const most = Math.max(Math.abs(chosen ?? 0), Math.abs(answer)) || 1;
      /** @type {[string, number, string][]} */
      const lines = [[t("the model"), answer, shown]];
      if (isGuessed) lines.unshift([t("you"), chosen, String(chosen)]);
      for (const [name, value, text] of lines) {
        const className = name === t("the model") ? "ls-bar ls-of-model" : "ls-bar";
        const parts = [make("span", "", name), shareBar(Math.abs(value) / most), make("b", "", text)];
        bars.append(make("div", className, ...parts));
      }
      element.append(bars);
      return isGuessed ? t("You said {guess}; it was {answer}.", { guess: chosen, answer: shown }) : "";
    },
  };
}

/**
 * The initial order of the options, which must not be that of the answer: the index of each line's option.
 * @param {number} count
 */
const mixedOrder = (count) => [...Array(count).keys()].map((index) => (index * 2 + 1) % (count + (count % 2 ? 0 : 1)));

/** @type {Ask} */
function ordering(prediction, predict) {
  const { options } = prediction;
  const list = make("ol");
  let order = mixedOrder(options.length);
  const button = makeButton("ls-do", () => predict(order), t("Predict"));

  /** @param {number} index @param {number} direction */
  function move(index, direction) {
    const other = index + direction;
    if (other < 0 || other >= order.length) return;
    order = order.map((option, position) =>
      position === index ? order[other] : position === other ? order[index] : option,
    );
    draw();
    const moved = list.children[other].querySelectorAll("button");
    (moved[direction < 0 ? 0 : 1].disabled ? moved[direction < 0 ? 1 : 0] : moved[direction < 0 ? 0 : 1]).focus();
  }

  function draw() {
    list.replaceChildren(
      ...order.map((option, index) => {
        const [up, down] = [-1, 1].map((direction) => {
          const arrow = makeButton("ls-arrow", () => move(index, direction), direction < 0 ? "↑" : "↓");
          const values = { line: options[option] };
          const name = direction < 0 ? t("{line}: further up", values) : t("{line}: further down", values);
          arrow.setAttribute("aria-label", name);
          arrow.disabled = index + direction < 0 || index + direction >= order.length;
          return arrow;
        });
        return make("li", "", optionText(prediction, option), up, down);
      }),
    );
  }

  draw();
  const element = make("div", "ls-order", list, button);
  return {
    element,
    reveal(chosen, { answer, shown }) {
      button.hidden = true;
      const isGuessed = chosen !== undefined;
      const rightOptions = answer.filter(
        (/** @type {number} */ option, /** @type {number} */ index) => chosen?.[index] === option,
      );
      list.replaceChildren(
        ...answer.map((/** @type {number} */ option, /** @type {number} */ index) => {
          const className = chosen?.[index] === option ? "ls-right" : "";
          const item = make("li", className, optionText(prediction, option), make("b", "", shown[index]));
          if (!isGuessed) return item;
          const was = chosen.indexOf(option) + 1;
          const note = was === index + 1 ? t("as you said") : t("you: place {place}", { place: was });
          item.append(make("small", "", note));
          return item;
        }),
      );
      if (!isGuessed) return "";
      return t("{count} of {all} are where you put them.", { count: rightOptions.length, all: answer.length });
    },
  };
}

/** @type {Ask} */
function typing(_prediction, predict) {
  const limits = { maxLength: MAX_CHARACTERS, autocomplete: "off", spellcheck: false };
  const field = Object.assign(make("input"), { type: "text", ...limits });
  field.setAttribute("autocapitalize", "off");
  field.setAttribute("aria-label", t("Your prediction"));
  const button = makeButton("ls-do", () => {
    const text = field.value.trim();
    if (!text) return field.focus();
    predict(text);
  });
  button.textContent = t("Predict");
  pressOnEnter(field, button);
  const element = make("div", "ls-number", field, button);
  return {
    element,
    reveal(typed, { answer }) {
      const { columns, values } = answer;
      const row = typed === undefined ? -1 : columns.findIndex((word) => plain(word) === plain(typed));
      field.disabled = true;
      field.hidden = typed === undefined;
      field.value = typed ?? "";
      button.hidden = true;
      const lines = columns.map((word, index) => {
        const className = values[index] === values[0] ? "ls-bar ls-of-model ls-right" : "ls-bar ls-of-model";
        const name = asData(make("span", "", word));
        if (index === row) name.append(make("small", "", ` · ${t("your prediction")}`));
        const bar = shareBar(values[index] / values[0]);
        return make("div", className, name, bar, make("b", "", percentText(values[index])));
      });
      element.append(make("div", "ls-bars", ...lines));
      if (typed === undefined) return "";
      if (row < 0) return t("“{guess}” is not among the most probable words of the model.", { guess: typed });
      if (values[row] === values[0]) return t("You predicted it.");
      return t("The model gives “{guess}” {percent}.", { guess: typed, percent: percentText(values[row]) });
    },
  };
}

/** @type {Record<Prediction["kind"], Ask>} */
const PREDICTION_KINDS = { choose: choosing, number: numbering, order: ordering, draw: drawing, type: typing };

/** @type {Ask} */
export const ask = (prediction, predict) =>
  (prediction.keep ? choosing : PREDICTION_KINDS[prediction.kind])(prediction, predict);

/**
 * Whether an earlier guess still has the form of an answer: the lesson may have changed.
 * @param {Prediction} prediction
 * @param {any} guess
 */
export function isFit({ kind, options, rows, columns }, guess) {
  if (kind === "number") return typeof guess === "number";
  if (kind === "type") return typeof guess === "string";
  if (kind === "choose") return Number.isInteger(guess) && guess >= 0 && guess < options.length;
  const length = kind === "order" ? options.length : rows?.length || columns?.length;
  return Array.isArray(guess) && guess.length === length;
}
