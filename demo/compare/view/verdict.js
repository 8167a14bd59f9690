// @ts-check
// The tokens of the reference with the model's probabilities. One tab stop: arrow keys move among the chips.

import { rove } from "../../widgets/menus/roving.js";
import { find, make, makeButton, makeFact, makeToken, setText } from "../../widgets/view/dom.js";
import { numberText, smallPercentText, wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { plainText } from "./texts.js";

export function createVerdict(root) {
  const box = find(root, ".cp-verdict");
  const [chips, detail, facts] = [".cp-chips", ".cp-detail", ".cp-facts"].map((name) => find(box, name));

  const percent = (logProb) => smallPercentText(Math.exp(logProb));

  function chip(token, index) {
    const about =
      t("probability {percent}, {value} nats, rank {rank} of the vocabulary", {
        percent: percent(token.logProb),
        value: numberText(token.logProb),
        rank: wholeText(token.rank),
      }) +
      (token.unknown ? `, ${t("not in the vocabulary")}` : "") +
      (token.rank > 1 && token.alternative
        ? `; ${t("expected “{token}”, {percent}", { token: token.alternative, percent: percent(token.alternativeLogProb) })}`
        : "");
    const parts = [makeToken("b", "", token.text), make("small", "", percent(token.logProb))];
    const node = makeButton("cp-chip", () => {}, ...parts);
    if (token.ranked) node.append(make("small", "", token.ranked));
    node.style.setProperty("--share", Math.exp(token.logProb).toFixed(4));
    node.classList.toggle("cp-unknown", token.unknown);
    node.classList.toggle("cp-first", token.rank === 1);
    node.tabIndex = index ? -1 : 0;
    node.dataset.detail = `${t("step {step}", { step: index + 1 })}, ${t("“{text}”", { text: token.text })}: ${about}`;
    node.setAttribute("aria-label", node.dataset.detail);
    return node;
  }

  rove(chips, (chip) => {
    setText(detail, chip?.dataset.detail ?? "");
  });

  function load(value) {
    const { verdict } = value;
    box.hidden = !verdict;
    if (!verdict) return;
    box.dataset.kind = verdict.kind;
    chips.replaceChildren(...verdict.tokens.map(chip));
    facts.replaceChildren(
      ...verdict.facts.map(([name, number, text, note]) => {
        const group = makeFact(name, t("{value} nats", { value: numberText(number) }), note);
        find(group, "dd").append(plainText(text, "cp-fact-text"));
        return group;
      }),
    );
    setText(find(box, ".cp-judgement"), verdict.sentence);
  }

  return { load };
}
