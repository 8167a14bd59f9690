// @ts-check
// Elements. Text enters the page through textContent alone.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/**
 * A token may be written from right to left; its neighbours must not be. The sign for a space steps back.
 * @param {keyof HTMLElementTagNameMap} tag
 * @param {string} className
 * @param {string} text
 */
export function makeToken(tag, className, text) {
  const node = make(tag, className);
  const spaced = text.length > 1 && text.startsWith("␣");
  if (spaced) node.append(make("i", "tv-space", "␣"));
  node.append(spaced ? text.slice(1) : text);
  node.dir = "auto";
  node.translate = false; // data, whatever the language of the page
  return node;
}

/**
 * @param {string} className
 * @param {(event: MouseEvent) => void} onClick
 */
export function makeButton(className, onClick) {
  const button = make("button", className);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

/**
 * One fact of a description list: its name, its value, and small print if there is any.
 * @param {string} name
 * @param {string | Node} value
 * @param {string} [note]
 */
export function makeFact(name, value, note) {
  const group = make("div");
  const description = make("dd");
  description.append(value);
  if (note) description.append(make("small", "", note));
  group.append(make("dt", "", name), description);
  return group;
}

/**
 * A part of a view that its template always has; an element of HTML unless another kind is named.
 * @template {Element} [Kind=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function find(root, selector, kind = /** @type {any} */ (HTMLElement)) {
  const node = root.querySelector(selector);
  if (!(node instanceof kind)) throw new Error(`${selector} is not in the view, or no ${kind.name}`);
  return node;
}

/**
 * What an event is about, if it is an element of that kind.
 * @template {Element} [Kind=HTMLElement]
 * @param {Event} event
 * @param {new () => Kind} [kind]
 * @returns {Kind | null}
 */
export const targetOf = ({ target }, kind = /** @type {any} */ (HTMLElement)) =>
  target instanceof kind ? target : null;

/**
 * Several of them, each a selector.
 * @param {ParentNode} root
 * @param {string[]} selectors
 */
export const findAll = (root, ...selectors) => selectors.map((selector) => find(root, selector));

/**
 * Changes the page only where something is new.
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Whether a link leaves a part of the page out (demo/views/hiding.py); a style sheet cannot reach a hint.
 * @param {string} part
 */
export const isHidden = (part) => (document.documentElement.dataset.hide ?? "").split(" ").includes(part);
