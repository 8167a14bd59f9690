// @ts-check
// The dock of a lesson. Its script and style are fetched when a lesson is first opened.
import { make } from "../../widgets/view/dom.js";

/** @import { Mount } from "../../widgets/view/mount.js" */
/** @typedef {{ lesson: string, step: number, class?: string }} CourseStep a step of a lesson */

/** @type {Mount} */
export function mount(element, props, _watch, _trigger, server, modules) {
  const root = /** @type {HTMLElement} */ (element.querySelector(".lesson"));
  /** @type {Promise<any> | undefined} */
  let dock;

  function load() {
    const style = make("link");
    Object.assign(style, { rel: "stylesheet", href: new URL(props.lazy_style, document.baseURI).href });
    document.head.append(style);
    return globalThis.unrolled.loadModule(props.lazy).then((/** @type {{ add: Function }} */ { add }) => {
      add(modules);
      return modules["learn/dock/lazy/dock.js"].createDock(root, server);
    });
  }

  /** @param {CourseStep} target */
  async function open(target) {
    dock ??= load();
    (await dock).open(target);
  }

  Object.assign(root, { unrolled: { open } });
}
