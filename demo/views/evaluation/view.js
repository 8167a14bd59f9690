// @ts-check
// An evaluation. Its script and style are fetched when the tab is opened for the first time.
import { isOpening } from "../page/links/visit.js";
import { loadPlotly } from "../shared/charts/plotly.js";
import { find, make } from "../shared/dom.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger, server, modules) {
  const root = find(element, ".evaluation");
  /** @type {any} */
  let link = null; // the values of a link
  /** @type {object | null} */
  let removal = null; // the output and the training pairs that an experiment leaves out
  /** @type {(form: any) => { values: object, words: string[] }} the parameters of a link, and sentences on what it omits */
  let read = () => ({ values: {}, words: [] });

  const style = make("link");
  Object.assign(style, { rel: "stylesheet", href: new URL(props.lazy_style, document.baseURI).href });
  document.head.append(style);
  const whenMade = globalThis.unrolled.loadModule(props.lazy).then(async (/** @type {{ add: Function }} */ { add }) => {
    add(modules);
    const panel = modules["evaluation/lazy/panel.js"].createPanel(root, {
      server,
      plotly: () => loadPlotly(props.plotly_source),
      dark: () => props.dark,
      anew: () => trigger("shown"),
      retrain(request) {
        removal = request;
        trigger("retrain");
      },
    });
    await panel.ready;
    read = panel.read;
    return panel;
  });

  watch("value", () => {
    const { value } = props;
    if (value?.run) whenMade.then((panel) => panel.experiment(value.run)).catch(console.error);
    else if (value?.key) whenMade.then((panel) => panel.follow(value.key)).catch(console.error);
  });
  if (!isOpening("evaluate"))
    whenMade.then((/** @type {any} */ panel) => panel.resume() || trigger("shown")).catch(console.error);

  Object.assign(root, {
    unrolled: {
      /** @param {any} view */
      restore(view) {
        link = view;
        if (view.part) whenMade.then((panel) => panel.open(view.part)).catch(console.error);
        if (view.checkpoints || view.strategies) trigger("linked");
        else whenMade.then((panel) => panel.resume() || trigger("shown")).catch(console.error);
      },
      removal: () => removal,
      /** @type {(names: string[], values: any[]) => any[]} */
      noteRequest(names, values) {
        const request = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        whenMade.then((/** @type {any} */ panel) => panel.noteRequest(request)).catch(console.error);
        return values;
      },
      /** @param {any} form */
      read: (form) => read(form),
      /** @type {(checkpoints: any, strategies: any) => any[]} */
      linkedValues: (checkpoints, strategies) => [link?.checkpoints ?? checkpoints, link?.strategies ?? strategies],
    },
  });
}
