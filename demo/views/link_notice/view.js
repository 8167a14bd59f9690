// @ts-check
// Lets the page's script ask the server for what a link fills in, once the tab is there.
import { find } from "../shared/dom.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, _props, _watch, trigger) {
  Object.assign(find(element, ".link-notice"), {
    unrolled: {
      /** @param {object} [asked] what the address does not say */
      fill: (asked) => trigger("fill", asked),
      /** @param {object} asked a step of a lesson */
      visit: (asked) => trigger("visit", asked),
    },
  });
}
