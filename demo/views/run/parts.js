// @ts-check
// What the parts of a run's picture share: they change the page only where something is new.
// Calls `draw` only when `content` differs from the last time.
export function whenNew(draw) {
  let last = null;
  return (content) => {
    const key = JSON.stringify(content ?? null);
    if (key === last) return;
    last = key;
    draw(content);
  };
}

// Runs one task after the other and skips those that a newer one has overtaken.
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

// Shares from 0 to 1, sent as bytes.
export function unpackShares(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export const FULL_BYTE = 255;
