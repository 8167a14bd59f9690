// The strip at the top: state, progress, figures, notices, and what went wrong.
function createRunStatus(root) {
  const part = (name) => root.querySelector(`.rv-${name}`);
  const [title, state, message, bar, steps, percent] = ["title", "state", "message", "bar", "steps", "percent"].map(part);
  const [facts, recipe, notices, failure, reason, advice] = ["facts", "recipe", "notices", "failure", "reason", "advice"].map(part);
  const log = root.querySelector(".rv-log");

  const drawFacts = whenNew((pairs) => facts.replaceChildren(...pairs.map(([label, value]) => {
    const fact = make("div");
    fact.append(make("dt", "", label), make("dd", "", value));
    return fact;
  })));
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
    setText(log.querySelector("pre"), status.log);
    log.hidden = !status.log;
    failure.hidden = !status.reason && !status.log;
    setText(advice, status.advice);
  }

  return { load };
}
