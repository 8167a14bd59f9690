// @ts-check
// Draws the page in the reader's language, mounts its views, and starts its scripts.
import { currentAddress } from "../../links/scripts/history.js";
import { start } from "../../page/scripts/page.js";
import { find, make } from "../../widgets/view/dom.js";
import { createCompare } from "./compare.js";
import { createDecode } from "./decode.js";
import { createLessons } from "./lessons.js";
import { createLoading } from "./loading.js";
import { visit, visitStep } from "./visit.js";
import { draw, register, views } from "./widgets.js";

/** @import { Node } from "./widgets.js" */

/**
 * @typedef {object} Texts what demo/static/site/folder.py writes for a language
 * @property {string} tag
 * @property {Record<string, string>} words
 * @property {Record<string, any>} config
 * @property {Node} tree
 * @property {Record<string, number>} controls ids of the form's widgets, by the names of a link's parameters
 * @property {Record<string, number>} compared the same for the form of a comparison
 * @property {Record<string, Record<string, [label: string, hint: string]>>} captions by strategy and setting
 * @property {Record<string, string>} limits the settings that are the maxima of others
 * @property {string[]} constraints names of the settings that are constraints
 * @property {string[]} absent selectors of what needs a server
 * @property {Record<string, any>} checkpoints
 */

const { languages = "", complete = "" } = document.documentElement.dataset;
const LANGUAGES = languages.split(" ");
const COMPLETE = complete.split(" "); // only these are chosen without being asked for

/** The language of the address, of the last visit, or of the browser. */
function language() {
  const parameter = new URL(window.location.href).searchParams.get("__lang");
  const stored = /(?:^|; )unrolled-lang=(\w+)/.exec(document.cookie)?.[1];
  const choice = [parameter, stored].find((code) => code && LANGUAGES.includes(code));
  const codes = navigator.languages.map((tag) => tag.split("-")[0]);
  return choice ?? codes.find((code) => COMPLETE.includes(code)) ?? "en";
}

function isDark() {
  const parameter = new URL(window.location.href).searchParams.get("__theme");
  return parameter ? parameter === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {string} address */
const read = (address) =>
  fetch(new URL(address, document.baseURI)).then((answer) => {
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer.json();
  });

/** @param {string} code */
function addStyle(code) {
  const link = make("link");
  Object.assign(link, { rel: "stylesheet", href: `texts/${code}/style.css` });
  const loaded = new Promise((done) => {
    for (const event of ["load", "error"]) link.addEventListener(event, done);
  });
  document.head.append(link);
  return loaded;
}

/** @param {Texts} texts */
function drawPage({ tree, absent }) {
  const main = make("main", "contain", make("div", "column", ...(tree.children ?? []).map(draw)));
  const container = make("div", "gradio-container", make("div", "main fillable", main));
  for (const element of container.querySelectorAll(absent.join(", "))) element.remove();
  return container;
}

/**
 * Mounts a view as Gradio does: a changed property is announced, and events go to their listeners.
 * @type {(node: Node, modules: any, listeners: Record<string, (data?: any) => void>, server: any) => void}
 */
function mountView(node, modules, listeners, server) {
  const { id, view = "", props = {}, value, label } = node;
  const element = find(document, `#view-${id}`);
  /** @type {Record<string, (() => void)[]>} */
  const watchers = {};
  const values = new Proxy(
    { ...props, value, label },
    {
      set(target, /** @type {string} */ name, fresh) {
        /** @type {any} */ (target)[name] = fresh;
        for (const changed of watchers[name] ?? []) changed();
        return true;
      },
    },
  );
  const watch = (/** @type {string} */ name, /** @type {() => void} */ changed) => {
    watchers[name] = [...(watchers[name] ?? []), changed];
  };
  const trigger = (/** @type {string} */ name, /** @type {any} */ data) => listeners[name]?.(data);
  const set = (/** @type {any} */ fresh) => void Object.assign(values, { value: fresh });
  register(node, element, { get: () => values.value, set });
  modules[view].mount(element, values, watch, trigger, server, modules);
}

/**
 * Starts the script that stores what the page has fetched so far, and all that it fetches from now on. Without it, as in
 * some frames, the page works with a connection.
 */
async function startOffline() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL("service_worker.js", document.baseURI), { updateViaCache: "none" });
  const { active } = await navigator.serviceWorker.ready;
  const site = new URL(".", document.baseURI).href;
  const store = (/** @type {string[]} */ addresses) =>
    active?.postMessage(addresses.filter((address) => address.startsWith(site)));
  store([document.baseURI]);
  // A fetch that began before the script took over is listed only when it ends.
  new PerformanceObserver((list) => store(list.getEntries().map(({ name }) => name))).observe({
    type: "resource",
    buffered: true,
  });
}

async function open() {
  const code = language();
  const [texts, { modules }] = await Promise.all([
    /** @type {Promise<Texts>} */ (read(`texts/${code}/page.json`)),
    import(new URL("scripts/modules.js", document.baseURI).href),
    addStyle(code),
  ]);
  document.documentElement.lang = texts.tag;
  document.body.classList.toggle("dark", isDark());
  const glossary = Object.fromEntries(LANGUAGES.map((one) => [one, `texts/${one}/terms.json`]));
  const loadModule = (/** @type {string} */ address) => import(new URL(address, document.baseURI).href);
  Object.assign(globalThis, { unrolled: { words: texts.words, config: { ...texts.config, glossary }, loadModule } });
  document.body.append(drawPage(texts));
  const loading = createLoading(code);
  const decode = createDecode(texts, { read, code, loading });
  const compare = createCompare(texts, loading);
  const lessons = createLessons({ read, code, loading });
  const tabs = {
    decode: { controls: texts.controls, visit: decode.visit },
    compare: { controls: texts.compared, visit: compare.visit },
    learn: { controls: {}, visit: lessons.visit },
  };
  const links = { listeners: { visit: (/** @type {any} */ step) => visitStep(texts, tabs, lessons, step) } };
  /** @type {Record<string, { server?: any, listeners?: any }>} */
  const parts = { ...decode.parts, ...compare.parts, ...lessons.parts, "link-notice": links };
  for (const node of views.values()) {
    const { listeners = {}, server = {} } = parts[node.elem_id ?? ""] ?? {};
    mountView(node, modules, listeners, server);
  }
  start();
  decode.begin();
  compare.begin();
  await visit(texts, tabs, lessons, currentAddress());
  startOffline().catch(console.warn);
}

open().catch((error) => {
  console.error(error);
  const problem = make("p", "", "The page could not be loaded. Check the connection, then reload it.");
  problem.setAttribute("role", "alert");
  document.body.append(problem);
});
