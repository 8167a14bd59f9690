// @ts-check
// Opens a file that is dropped anywhere on the first tab.
import { currentTabName } from "../../links/scripts/address.js";

/** @param {(file: File) => void} open */
export function acceptDrops(open) {
  const mark = (/** @type {boolean} */ over) => {
    if (over) document.documentElement.dataset.dropping = "true";
    else delete document.documentElement.dataset.dropping;
  };
  /** @param {DragEvent} event */
  const carriesFile = (event) => Boolean(event.dataTransfer?.types.includes("Files")) && currentTabName() === "decode";

  document.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault(); // the browser would leave the page and open the file
    mark(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) mark(false);
  });
  document.addEventListener("drop", (event) => {
    mark(false);
    if (!carriesFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) open(file);
  });
}
