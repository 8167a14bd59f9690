// @ts-check
// Quality against source length: for each test set an answer, whose table can be unfolded.
import { createAnswerView } from "../../widgets/answers/answer_view.js";
import { find, make } from "../../widgets/view/dom.js";

/** @import { Shown } from "../../widgets/answers/answer_view.js" */
/** @import { LoadPlotly } from "../../widgets/charts/plotly.js" */

/**
 * Puts the answers into the container; resolves when all charts are drawn.
 * @param {HTMLElement} root of the view
 * @param {HTMLElement} container
 * @param {(Shown & { name: string, numbers: string })[]} answers `numbers`: the title of the table
 * @param {Record<string, string>} dark colours of the dark page
 * @param {LoadPlotly} plotly
 */
export async function drawCharts(root, container, answers, dark, plotly) {
  const template = find(root, ".cg-answer", HTMLTemplateElement);
  const cards = answers.map(({ numbers }) => {
    const card = make("div", "tv-card cg-chart");
    card.append(template.content.cloneNode(true));
    const table = make("details", "cg-numbers");
    table.append(make("summary", "", numbers), find(card, ".tv-inspect-table"), find(card, ".tv-inspect-files"));
    card.append(table);
    return card;
  });
  container.replaceChildren(...cards);
  await Promise.all(
    answers.map((answer, index) =>
      createAnswerView(root, cards[index], plotly, {
        name: () => answer.name,
        dark: () => dark,
        choose() {},
      }).show(answer),
    ),
  );
}
