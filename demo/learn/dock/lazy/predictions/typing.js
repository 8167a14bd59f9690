// @ts-check
// A typed guess: which word comes next? It is revealed beside the model's most probable words.
import { asData, isEnter, make, makeButton } from "../../../../widgets/view/dom.js";
import { numberText } from "../../../../widgets/view/numbers.js";
import { t } from "../../../../widgets/view/translate.js";

/** @import { Ask } from "./predictions.js" */

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

/** @type {Ask} */
export function typing(_prediction, predict) {
  const field = make("input");
  Object.assign(field, { type: "text", maxLength: MAX_CHARACTERS, autocomplete: "off" });
  field.spellcheck = false;
  field.setAttribute("autocapitalize", "off");
  field.setAttribute("aria-label", t("Your prediction"));
  const button = makeButton("ls-do", () => {
    const text = field.value.trim();
    if (!text) return field.focus();
    predict(text);
  });
  button.textContent = t("Predict");
  field.addEventListener("keydown", (event) => {
    if (isEnter(event)) button.click();
  });
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
