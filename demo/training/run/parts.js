// @ts-check
// Helpers of the run's view, which change the page only if something is new.
import { make } from "../../widgets/view/dom.js";

// `whenNew` calls `draw` only if `content` differs from the last time.
export function whenNew(draw) {
  let last = null;
  return (content) => {
    const key = JSON.stringify(content ?? null);
    if (key === last) return;
    last = key;
    draw(content);
  };
}

// Runs one task at a time, and skips tasks that a newer call has replaced.
export function latestOnly(task) {
  let running = null;
  let again = false;
  async function run() {
    do {
      again = false;
      await task();
    } while (again);
  }
  return () => {
    again = true;
    running ||= run().finally(() => {
      running = null;
    });
    return running;
  };
}

// The index of the snapshot nearest to a step; -1 without snapshots.
export function nearest(snapshots, step) {
  const distances = snapshots.map((snapshot) => Math.abs(snapshot.step - step));
  return distances.indexOf(Math.min(...distances));
}

// A row of a table.
export const makeRow = (...cells) => make("tr", "", ...cells);

// Decodes shares from 0 to 1 that were sent as bytes.
export const unpackShares = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

export const FULL_BYTE = 255;
