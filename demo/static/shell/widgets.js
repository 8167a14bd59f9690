// @ts-check
// Draws the widgets of the server's page, with the class names that its style sheets use, and reads their values.
import { make, makeButton } from "../../widgets/view/dom.js";
import { markdownNodes } from "../../widgets/view/markdown.js";

/**
 * A widget as demo/static/site/page.py describes it; properties that are true or empty are left out, and the key is the
 * name of a tab.
 * @typedef {{ type: string, id: number, children?: Node[], elem_id?: string, elem_classes?: string[], label?: string,
 *   info?: string, value?: any, choices?: [label: string, value: string][], placeholder?: string, variant?: string,
 *   minimum?: number, maximum?: number, step?: number, max_length?: number, visible?: boolean, open?: boolean,
 *   show_label?: boolean, scale?: number, min_width?: number, key?: string, html?: string, view?: string,
 *   props?: Record<string, any> }} Node
 */
/**
 * @typedef {object} Widget
 * @property {HTMLElement} element
 * @property {() => any} get
 * @property {(value: any) => void} set without an event
 * @property {(listener: () => void) => void} onChange
 */

/** @type {Map<number, Widget>} by the ids of the description */
export const widgets = new Map();
/** @type {Map<number, Node>} the views, to be mounted when the page is drawn */
export const views = new Map();

/** @import { Child } from "../../widgets/view/dom.js" */
/** @type {(node: Node, tag: keyof HTMLElementTagNameMap, kind: string, ...children: Child[]) => HTMLElement} */
function box({ elem_id, elem_classes = [], visible = true }, tag, kind, ...children) {
  const element = make(tag, [kind, ...elem_classes].join(" "), ...children);
  if (elem_id) element.id = elem_id;
  element.hidden = visible === false;
  return element;
}

/** @type {(node: Node, ...children: Child[]) => HTMLElement} */
const block = (node, ...children) => box(node, "div", "block", ...children);

/** @type {(node: Node) => HTMLElement[]} */
const titled = ({ label, info, show_label: isShown = true }) => {
  const title = make("span", isShown ? "block-title" : "for-screen-readers", label);
  title.dataset.testid = "block-info";
  /** @type {HTMLElement[]} */
  const nodes = label ? [title] : [];
  if (info) nodes.push(make("div", "info-text", make("span", "", info)));
  return nodes;
};

/** @type {(node: Node, element: HTMLElement, functions: Partial<Widget>) => HTMLElement} */
export function register({ id }, element, functions) {
  widgets.set(id, { element, get: () => undefined, set: () => {}, onChange: () => {}, ...functions });
  return element;
}

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Input */
/** @type {(node: Node, element: HTMLElement, input: Input, read?: () => any) => HTMLElement} */
const registerInput = (node, element, input, read = () => input.value) =>
  register(node, element, {
    get: read,
    set: (value) => {
      input.value = String(value ?? "");
      input.dispatchEvent(new Event("unrolled:set"));
    },
    onChange: (listener) => {
      for (const name of ["input", "change", "unrolled:set"]) input.addEventListener(name, listener);
    },
  });

/** An input with its title. @type {(node: Node, input: Input, read?: () => any) => HTMLElement} */
function drawInput(node, input, read) {
  return registerInput(node, block(node, make("label", "", ...titled(node), input)), input, read);
}

/** @type {Record<string, (node: Node) => HTMLElement>} */
const DRAW = {
  textbox(node) {
    const text = make("textarea");
    Object.assign(text, { rows: 1, value: node.value ?? "", placeholder: node.placeholder ?? "", spellcheck: false });
    text.setAttribute("autocapitalize", "off");
    if (node.max_length) text.maxLength = node.max_length;
    return drawInput(node, text);
  },
  dropdown(node) {
    const options = (node.choices ?? []).map(([text, value]) => Object.assign(make("option", "", text), { value }));
    const select = make("select", "", ...options);
    select.value = node.value ?? "";
    return drawInput(node, select);
  },
  number(node) {
    const input = make("input");
    const { minimum = 0, maximum, value = 0 } = node;
    Object.assign(input, { type: "number", min: minimum, max: maximum, step: 1, value });
    return drawInput(node, input, () => input.valueAsNumber || 0);
  },
  slider(node) {
    const number = make("input");
    const range = make("input");
    const scale = { min: node.minimum ?? 0, max: node.maximum ?? 1, step: node.step ?? 1 };
    Object.assign(number, { type: "number", inputMode: "decimal", ...scale, value: node.value ?? 0 });
    Object.assign(range, { type: "range", ariaLabel: node.label ?? "", ...scale, value: node.value ?? 0 });
    const [title, hint] = titled(node);
    const box = make("div", "slider_input_container", range);
    const element = block(node, make("label", "slider-head", title, number), hint, box);
    const fill = () =>
      range.style.setProperty("--share", String((Number(range.value) - scale.min) / (scale.max - scale.min)));
    range.addEventListener("input", () => {
      number.value = range.value;
      fill();
      number.dispatchEvent(new Event("unrolled:set"));
    });
    for (const name of ["input", "change", "unrolled:set"])
      number.addEventListener(name, () => {
        range.max = String(Math.max(scale.max, number.valueAsNumber || 0));
        range.value = number.value;
        fill();
      });
    fill();
    return registerInput(node, element, number, () => number.valueAsNumber);
  },
  radio(node) {
    const wrap = make("div", "wrap");
    const inputs = (node.choices ?? []).map(([text, value]) => {
      const input = make("input");
      Object.assign(input, { type: "radio", name: `radio-${node.id}`, value, checked: value === node.value });
      input.setAttribute("value", value);
      wrap.append(make("label", "", input, make("span", "", text)));
      return input;
    });
    const element = box(node, "fieldset", "block", ...titled(node), wrap);
    element.setAttribute("role", "radiogroup");
    element.setAttribute("aria-label", node.label ?? "");
    return register(node, element, {
      get: () => inputs.find((input) => input.checked)?.value,
      set: (value) => {
        for (const input of inputs) input.checked = input.value === value;
        wrap.dispatchEvent(new Event("unrolled:set"));
      },
      onChange: (listener) => {
        for (const name of ["change", "unrolled:set"]) wrap.addEventListener(name, listener);
      },
    });
  },
  button(node) {
    const element = box(node, "button", node.variant ?? "secondary", node.value);
    element.setAttribute("type", "button");
    return element;
  },
  accordion(node) {
    const inside = make("div", "accordion-body", ...(node.children ?? []).map(draw));
    const title = make("span", "", node.label);
    const heading = makeButton("label-wrap", () => open(inside.hidden), title, make("span", "icon"));
    const open = (/** @type {boolean} */ on) => {
      inside.hidden = !on;
      heading.classList.toggle("open", on);
      heading.setAttribute("aria-expanded", String(on));
    };
    open(node.open !== false);
    return block(node, heading, inside);
  },
  markdown(node) {
    const element = block(node);
    element.classList.add("prose");
    const set = (/** @type {string} */ value) => element.replaceChildren(...markdownNodes(value ?? ""));
    set(node.value);
    return register(node, element, { set });
  },
  html(node) {
    const inside = make("div");
    inside.id = `view-${node.id}`;
    inside.innerHTML = (node.html ?? "").replaceAll(/\$\{value\}|\{\{value\}\}/g, node.value ?? ""); // the project's own template
    if (node.view) views.set(node.id, node);
    return block(node, make("div", "html-container", inside));
  },
  tabs(node) {
    const row = make("div", "tab-container");
    row.setAttribute("role", "tablist");
    const items = (node.children ?? []).map((child) => {
      const item = draw(child);
      const button = makeButton("", () => show(button), child.label);
      button.setAttribute("role", "tab");
      button.dataset.tabId = child.key ?? "";
      row.append(button);
      return { button, item };
    });
    const show = (/** @type {HTMLElement} */ shown) => {
      for (const { button, item } of items) {
        item.style.display = button === shown ? "" : "none"; // the views look for what Gradio sets
        button.classList.toggle("selected", button === shown);
        button.setAttribute("aria-selected", String(button === shown));
      }
    };
    if (items.length) show(items[0].button);
    const element = make("div", "tabs", make("div", "tab-wrapper", row), ...items.map(({ item }) => item));
    element.id = node.elem_id ?? "";
    return element;
  },
};

/** @type {(node: Node) => HTMLElement} */
function group(node) {
  const { type, children = [] } = node;
  const element = box(node, "div", type);
  if (type === "column") {
    element.style.setProperty("flex-grow", String(node.scale ?? 1));
    element.style.setProperty("min-width", `min(${node.min_width ?? 0}px, 100%)`);
  }
  const inside = type === "tabitem" ? element.appendChild(make("div", "column")) : element;
  inside.append(...children.map(draw));
  return element;
}

/** @type {(node: Node) => HTMLElement} */
export function draw(node) {
  const drawWidget = DRAW[node.type] ?? group;
  return drawWidget(node);
}

/** The widget in an element. @param {string} elem_id */
export const widgetOf = (elem_id) =>
  [...widgets.values()].find(({ element }) => element.closest(`#${elem_id}`) !== null);

/** Writes texts onto buttons, and hides a button without one. @param {string} selector @param {string[]} texts */
export function nameButtons(selector, texts) {
  for (const [index, button] of buttonsOf(selector).entries()) {
    button.textContent = texts[index] ?? "";
    button.hidden = !button.textContent;
  }
}

/** @param {string} selector */
export const buttonsOf = (selector) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector));
