// @ts-check
// Leads a reader from a step to the part of the page that it describes, then to the numbers of its reveal, and back.

import { isNarrow } from "./dock_position.js";
import { createEvidence } from "./evidence.js";
import { createPointer } from "./pointer.js";

/** @import { Evidence } from "./evidence.js" */
/** @typedef {{ name: string, selectors: string, label: string } | undefined} Part */

/** @param {{ fold: (isFolded: boolean) => void, placePartButton: (isRevealed: boolean) => void }} frame of the dock */
export function createGuide(frame) {
  /** @type {ReturnType<typeof createPointer> | null} */
  let pointer = null; // null while no lesson is open
  const evidence = createEvidence(() => pointer?.stopScrolling());

  /** @type {(part: Part, facts: Evidence | null) => void} */
  function set(part, facts) {
    evidence.set(facts, part?.selectors);
    frame.placePartButton(facts !== null);
  }

  return {
    /** @param {Part} part that a new step describes */
    begin(part) {
      frame.fold(false);
      set(part, null);
      pointer ??= createPointer();
      pointer.at(part ?? null);
    },
    reveal: set,
    // On a small screen the dock folds to one line, which leads back to the question.
    showPart() {
      frame.fold(isNarrow());
      pointer?.show();
      evidence.show();
    },
    leave() {
      frame.fold(false);
      evidence.set(null);
      pointer?.remove();
      pointer = null;
    },
  };
}
