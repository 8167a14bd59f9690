// @ts-check
// A list of strategies to tick, and a form to add a variant; the server names the variant.
import { find, make, makeButton } from "../view/dom.js";
import { t } from "../view/translate.js";

/** @import { Mount } from "../view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger, server) {
  const chosenStrategy = find(element, ".sp-strategy", HTMLSelectElement);
  const problem = find(element, ".sp-problem");
  const group = `sp-${Math.random().toString(36).slice(2)}`; // radio buttons of one list
  const options = props.presets.map((preset) => ({ ...preset, own: false }));
  // Settings that are left out count as their defaults.
  const key = (settings) =>
    JSON.stringify(Object.entries({ ...props.defaults, ...settings }).sort(([one], [other]) => (one < other ? -1 : 1)));
  const ticked = new Set((props.value || []).map(key));

  function publish() {
    props.value = options.filter((option) => ticked.has(key(option.settings))).map((option) => option.settings);
    trigger("change");
  }

  function tick(option, on) {
    if (!props.many) ticked.clear();
    if (on) ticked.add(key(option.settings));
    else ticked.delete(key(option.settings));
    mark();
    publish();
  }

  function drop(option) {
    options.splice(options.indexOf(option), 1);
    ticked.delete(key(option.settings));
    if (!props.many && !ticked.size) ticked.add(key(options[0].settings));
    draw();
    publish();
    find(element, ".sp-own summary").focus();
  }

  // A variant with the name of another option also shows its settings.
  const fullName = (option) =>
    option.own && options.some((other) => other !== option && other.name === option.name)
      ? `${option.name}: ${option.details}`
      : option.name;

  function row(option) {
    const input = make("input");
    const type = props.many ? "checkbox" : "radio";
    Object.assign(input, { type, name: group, checked: ticked.has(key(option.settings)) });
    input.addEventListener("change", () => tick(option, input.checked));
    const label = make("label", "", input, make("span", "sp-name", fullName(option)));
    label.title = option.details;
    const line = make("span", "sp-option", label);
    if (option.own) {
      const button = makeButton("sp-drop", () => drop(option), "×");
      button.setAttribute("aria-label", t("Remove {name}", { name: fullName(option) }));
      line.append(button);
    }
    return line;
  }

  // Limits the number of ticks to that of one comparison.
  function mark() {
    const full = props.many && ticked.size >= props.most;
    for (const input of find(element, ".sp-options").querySelectorAll("input")) input.disabled = full && !input.checked;
    find(element, "legend").textContent = props.many
      ? t("{label}: {count} of at most {most}", { label: props.label, count: ticked.size, most: props.most })
      : props.label;
  }

  function draw() {
    find(element, ".sp-options").replaceChildren(...options.map(row));
    mark();
    find(element, ".sp").dataset.ready = String(Number(find(element, ".sp").dataset.ready) + 1);
  }

  function field({ name, label, value, least, most, step, choices }) {
    const input = make(choices ? "select" : "input");
    if (choices) input.append(...Object.entries(choices).map(([choice, text]) => new Option(text, choice)));
    else Object.assign(input, { type: "number", min: least, max: most, step, inputMode: "decimal" });
    input.name = name;
    input.value = value;
    return make("label", "sp-field", make("span", "", label), input);
  }

  function drawForm() {
    const form = props.forms.find(({ strategy }) => strategy === chosenStrategy.value);
    find(element, ".sp-fields").replaceChildren(...form.fields.map(field));
    problem.textContent = "";
  }

  function typedSettings() {
    const settings = { strategy: chosenStrategy.value };
    for (const field of find(element, ".sp-fields").querySelectorAll("input, select")) {
      if (field instanceof HTMLInputElement) settings[field.name] = field.valueAsNumber;
      else if (field instanceof HTMLSelectElement) settings[field.name] = field.value;
    }
    return settings;
  }

  // The server names one variant after another: a late answer keeps its place in the list.
  let naming = Promise.resolve();
  function inTurn(work) {
    naming = naming.then(work).catch((error) => {
      problem.textContent = t("The server did not answer. Try again.");
      console.warn(error);
    });
  }

  async function add(settings) {
    if (Object.values(settings).some(Number.isNaN)) {
      problem.textContent = t("Every field needs a number.");
      return;
    }
    if (props.many && ticked.size >= props.most) {
      problem.textContent = t("At most {most} at once: untick one first.", { most: props.most });
      return;
    }
    const same = options.find((option) => key(option.settings) === key(settings));
    const answer = same || (await server.describe(settings));
    problem.textContent = answer.problem || "";
    if (answer.problem) return;
    if (!same) options.push({ settings, name: answer.name, details: answer.details, own: true });
    if (!props.many) ticked.clear();
    ticked.add(key(settings));
    draw();
    publish();
  }

  // A value from the server may contain strategies that are not listed yet; the server names them.
  async function take() {
    const value = props.value || [];
    ticked.clear();
    for (const settings of value) ticked.add(key(settings));
    draw();
    for (const settings of value.filter((other) => !options.some((option) => key(option.settings) === key(other)))) {
      const answer = await server.describe(settings);
      if (answer.problem) ticked.delete(key(settings));
      else options.push({ settings, name: answer.name, details: answer.details, own: true });
    }
    draw();
  }

  chosenStrategy.append(...props.forms.map(({ strategy, name }) => new Option(name, strategy)));
  chosenStrategy.value = props.defaults.strategy;
  chosenStrategy.addEventListener("change", drawForm);
  find(element, ".sp-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const settings = typedSettings(); // before it waits: a later answer must not change them
    inTurn(() => add(settings));
  });
  drawForm();
  inTurn(take);
  watch("value", () => inTurn(take));
}
