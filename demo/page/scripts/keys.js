// @ts-check
// Keyboard behaviour that Gradio's widgets lack: a list opens on request only, a group of radio buttons is one tab stop.
import { elementOf } from "../../widgets/view/dom.js";

const COMBOBOX = "input[role=combobox]";
const RADIO = "input[type=radio]";
const GROUP = "fieldset, [role=radiogroup]";
const OFFSETS = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });
let isTabbing = false; // the Tab key moves the focus

/** @param {Element} group @returns {HTMLInputElement[]} */
const radiosOf = (group) => [.../** @type {NodeListOf<HTMLInputElement>} */ (group.querySelectorAll(RADIO))];

/** @param {KeyboardEvent} event */
function beforeKey(event) {
  isTabbing = event.key === "Tab";
  if (!isTabbing) return;
  for (const group of document.querySelectorAll(GROUP)) makeOneStop(radiosOf(group));
  if (!elementOf(event).matches(COMBOBOX)) return;
  event.stopPropagation(); // Gradio opens a list at every key, including this one
  // A scrolling list would take the focus and then disappear.
  for (const list of document.querySelectorAll("ul[role=listbox]")) list.setAttribute("tabindex", "-1");
}

/**
 * Gradio gives the radio buttons of a group different names, so the browser does not treat them as one group.
 * @param {HTMLInputElement[]} radios
 */
function makeOneStop(radios) {
  const stop = radios.find((radio) => radio.checked) ?? radios[0];
  for (const radio of radios) radio.tabIndex = radio === stop ? 0 : -1;
}

/** @param {KeyboardEvent} event */
function choose(event) {
  const step = OFFSETS[event.key];
  const radio = elementOf(event);
  const choice = radio.matches(`.segmented ${RADIO}`) && radio.closest("fieldset");
  if (!step || !choice) return;
  event.preventDefault();
  const radios = radiosOf(choice);
  const next = radios[(radios.indexOf(/** @type {HTMLInputElement} */ (radio)) + step + radios.length) % radios.length];
  next.focus();
  next.click();
}

/** Gradio opens a list on focus, also when the Tab key only passes by. @param {FocusEvent} event */
function onFocus(event) {
  if (isTabbing && event.target instanceof Element && event.target.matches(COMBOBOX)) event.stopPropagation();
}

function onPointer() {
  isTabbing = false;
}

/** Starts to listen. */
export function startKeys() {
  document.addEventListener("keydown", beforeKey, true);
  document.addEventListener("keydown", choose);
  document.addEventListener("focus", onFocus, true);
  document.addEventListener("pointerdown", onPointer, true);
}
