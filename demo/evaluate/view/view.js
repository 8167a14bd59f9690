// @ts-check
// An evaluation. Its script and style are fetched when the tab is opened for the first time.
import { isOpening } from "../../links/scripts/visit.js";
import { loadPlotly } from "../../widgets/charts/plotly.js";
import { find, make } from "../../widgets/view/dom.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {(names: string[], values: any[]) => Record<string, any>} */
const byName = (names, values) => Object.fromEntries(names.map((name, index) => [name, values[index]]));

/** @type {Mount} */
export function mount(element, props, watch, trigger, server, modules) {
  const root = find(element, ".evaluation");
  /** @type {any} */
  let link = null; // the values of a link, or of the stored evaluation
  /** @type {(form: any) => { values: object, words: string[] }} the parameters of a link, and sentences on what it omits */
  let read = () => ({ values: {}, words: [] });

  const style = make("link");
  Object.assign(style, { rel: "stylesheet", href: new URL(props.lazy_style, document.baseURI).href });
  document.head.append(style);
  const whenMade = globalThis.unrolled.loadModule(props.lazy).then(async (/** @type {{ add: Function }} */ { add }) => {
    add(modules);
    const panel = modules["evaluate/view/lazy/panel.js"].createPanel(root, {
      server,
      plotly: () => loadPlotly(props.plotly_source),
      dark: () => props.dark,
      anew: () => trigger("shown"),
    });
    await panel.ready;
    read = panel.read;
    return panel;
  });

  /** @param {(panel: any) => any} act */
  const withPanel = (act) => whenMade.then(act).catch(console.error);

  watch("value", () => {
    const { value } = props;
    if (value?.key) withPanel((panel) => panel.follow(value.key));
  });
  // Continues with the stored evaluation, or begins one.
  const resume = () =>
    withPanel((panel) => {
      link = panel.storedRequest();
      if (link) trigger("linked");
      else panel.resume() || trigger("shown");
    });
  if (!isOpening("evaluate")) resume();

  Object.assign(root, {
    unrolled: {
      /** @param {any} view */
      restore(view) {
        const { part, ...values } = view;
        if (part) withPanel((panel) => panel.open(part));
        if (!Object.keys(values).length) return resume();
        withPanel((panel) => {
          link = panel.withStoredLines(values);
          trigger("linked");
        });
      },
      /** @type {(names: string[], values: any[]) => any[]} */
      noteRequest(names, values) {
        withPanel((panel) => panel.noteRequest(byName(names, values)));
        return values;
      },
      /** @type {(names: string[], values: any[]) => void} the link's values are in the form */
      filled(names, values) {
        withPanel((panel) => (panel.isStored(byName(names, values)) && panel.resume()) || trigger("shown"));
      },
      /** @param {any} form */
      read: (form) => read(form),
      /** @type {(names: string[], values: any[]) => any[]} */
      linkedValues: (names, values) => names.map((name, index) => link?.[name] ?? values[index]),
    },
  });
}
