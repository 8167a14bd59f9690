// @ts-check
// Counts a press on a button also if the page moves under it before the finger is lifted, as it does while a step's
// state arrives above the dock. Moving the pointer away cancels it.

const FAR_PIXELS = 10;

/** @param {HTMLElement} root contains the buttons */
export function holdPresses(root) {
  /** @type {{ button: Element, x: number, y: number } | null} */
  let pressed = null;

  root.addEventListener("pointerdown", ({ target, pointerId, clientX: x, clientY: y }) => {
    const button = /** @type {Element} */ (target).closest("button");
    pressed = button && { button, x, y };
    button?.setPointerCapture(pointerId); // the button gets the click
  });
  root.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (!pressed || Math.hypot(clientX - pressed.x, clientY - pressed.y) < FAR_PIXELS) return;
    if (pressed.button.hasPointerCapture(pointerId)) pressed.button.releasePointerCapture(pointerId);
  });
}
