// @ts-check
// The facts of a checkpoint as a description list.
import { find, makeFact } from "../view/dom.js";

/** @import { Mount } from "../view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch) {
  function draw() {
    const { summary = "", facts = [], problem = "" } = props.value || {};
    find(element, ".cc-summary").textContent = summary;
    find(element, ".cc-facts").replaceChildren(...facts.map(({ name, value, note }) => makeFact(name, value, note)));
    find(element, ".cc-problem").textContent = problem;
  }

  draw();
  watch("value", draw);
}
