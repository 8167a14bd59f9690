// @ts-check
// Creates and finds elements. Text enters the page as text, never as markup.

const QUOTE = /(“[^”]*”|«[^»]*»)/; // in the marks of the page's languages
const COMPOSING_CODE = 229;

/** @typedef {string | Node | null | undefined} Child a string enters as text; nothing and an empty string are left out */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const child of children) if (child != null && child !== "") node.append(child);
  return node;
}

/**
 * A token as an element. It may be written from right to left, which must not affect its neighbours. A leading space
 * sign gets a style of its own.
 * @param {keyof HTMLElementTagNameMap} tag
 * @param {string} className
 * @param {string} text
 */
export function makeToken(tag, className, text) {
  const spaced = text.length > 1 && text.startsWith("␣");
  return asData(make(tag, className, spaced ? make("i", "tv-space", "␣") : "", spaced ? text.slice(1) : text));
}

/**
 * Marks an element whose text is data: it may have any language and direction, and no browser translates it.
 * @template {HTMLElement} Kind
 * @param {Kind} node
 */
export function asData(node) {
  node.dir = "auto";
  node.translate = false;
  return node;
}

/**
 * @param {string} className
 * @param {(event: MouseEvent) => void} onClick
 * @param {Child[]} children
 */
export function makeButton(className, onClick, ...children) {
  const button = make("button", className, ...children);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

/**
 * One fact of a description list: a name, a value, and an optional note.
 * @param {string} name
 * @param {string | Node} value
 * @param {string} [note]
 */
export function makeFact(name, value, note) {
  return make("div", "", make("dt", "", name), make("dd", "", value, note && make("small", "", note)));
}

/**
 * Finds a part that the view's template always has; by default an element of HTML.
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
 * The target of an event, if it is an element of that kind.
 * @template {Element} [Kind=HTMLElement]
 * @param {Event} event
 * @param {new () => Kind} [kind]
 * @returns {Kind | null}
 */
export const targetOf = ({ target }, kind = /** @type {any} */ (HTMLElement)) =>
  target instanceof kind ? target : null;

/** The target of an event that only elements trigger. @param {Event} event */
export const elementOf = (event) => /** @type {HTMLElement} */ (event.target);

/**
 * Finds several parts, each by its selector.
 * @param {ParentNode} root
 * @param {string[]} selectors
 */
export const findAll = (root, ...selectors) => selectors.map((selector) => find(root, selector));

/**
 * Sets the text of an element only if it changes.
 * @template {Element} Kind
 * @param {Kind} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.replaceChildren(...sentence(text));
  return node;
}

/**
 * The nodes of a sentence, in which quotes are data.
 * @param {string} text
 */
export const sentence = (text) =>
  text.split(QUOTE).map((part, index) => (index % 2 ? asData(make("bdi", "", part)) : part));

/**
 * Whether a key is Enter, but not the Enter that ends a word of an input method. Chromium sends that one within the
 * composition, Safari after it with a code of its own.
 * @param {KeyboardEvent} event
 */
export const isEnter = ({ key, isComposing, keyCode }) => key === "Enter" && !isComposing && keyCode !== COMPOSING_CODE;

/**
 * Whether a link hides a part of the page (demo/links/hiding.py), for scripts where no style sheet can hide it.
 * @param {string} part
 */
export const isHidden = (part) => (document.documentElement.dataset.hide ?? "").split(" ").includes(part);
