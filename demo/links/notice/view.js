// @ts-check
// Lets the page's script request the values for a link when its tab is there.
import { find } from "../../widgets/view/dom.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, _props, _watch, trigger) {
  Object.assign(find(element, ".link-notice"), {
    unrolled: {
      /** @param {object} [data] what the address does not contain */
      fill: (data) => trigger("fill", data),
      /** @param {object} data the step of a lesson */
      visit: (data) => trigger("visit", data),
    },
  });
}
