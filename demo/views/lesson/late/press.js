// @ts-check
// Counts a press on a button also if the page moves under it before the finger is lifted, as it does while a step's
// state arrives above the dock. Moving the pointer away cancels it.

const FAR = 10; // pixels

/** @param {HTMLElement} root contains the buttons */
export function holdPresses(root) {
  /** @type {{ button: Element, x: number, y: number } | null} */
  let held = null;

  root.addEventListener("pointerdown", ({ target, pointerId, clientX: x, clientY: y }) => {
    const button = /** @type {Element} */ (target).closest("button");
    held = button && { button, x, y };
    button?.setPointerCapture(pointerId); // the button gets the click
  });
  root.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (!held || Math.hypot(clientX - held.x, clientY - held.y) < FAR) return;
    if (held.button.hasPointerCapture(pointerId)) held.button.releasePointerCapture(pointerId);
  });
}
