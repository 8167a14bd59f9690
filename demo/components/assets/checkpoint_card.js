// The facts of a checkpoint as a description list.
const find = (selector) => element.querySelector(selector);

function node(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function fact({ name, value, note }) {
  const group = document.createElement("div");
  const description = node("dd", value);
  if (note) description.append(node("small", note));
  group.append(node("dt", name), description);
  return group;
}

function draw() {
  const { summary = "", facts = [], problem = "" } = props.value || {};
  find(".cc-summary").textContent = summary;
  find(".cc-facts").replaceChildren(...facts.map(fact));
  find(".cc-problem").textContent = problem;
}

draw();
watch("value", draw);
