// @ts-check
// The strip at the top: state, progress, figures, notices, and the reason of a failure.
import { find, make, makeFact, setText } from "../../widgets/view/dom.js";
import { whenNew } from "./parts.js";

export function createRunStatus(root) {
  const part = (name) => find(root, `.rv-${name}`);
  const [title, state, message, steps, percent] = ["title", "state", "message", "steps", "percent"].map(part);
  const [facts, recipe, notices, failure] = ["facts", "recipe", "notices", "failure"].map(part);
  const [reason, advice, log] = ["reason", "advice", "log"].map(part);
  const bar = find(root, ".rv-bar", HTMLProgressElement);

  const drawFacts = whenNew((pairs) => facts.replaceChildren(...pairs.map(([label, value]) => makeFact(label, value))));
  const drawNotices = whenNew((texts) => notices.replaceChildren(...texts.map((text) => make("li", "", text))));

  function load({ title: name, status }) {
    setText(title, name);
    setText(state, status.words);
    setText(message, status.message);
    bar.value = status.share;
    setText(steps, status.progress);
    setText(percent, status.percent);
    drawFacts(status.facts);
    drawNotices(status.notices);
    notices.hidden = !status.notices.length;
    setText(recipe, status.recipe.join(" · "));
    setText(reason, status.reason);
    setText(find(log, "pre"), status.log);
    log.hidden = !status.log;
    failure.hidden = !status.reason && !status.log;
    setText(advice, status.advice);
  }

  return { load };
}
