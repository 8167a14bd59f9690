// @ts-check
// Hands on the canvas: a finger or a mouse puts shapes and moves them, so do the keys.
const KEY_STEP = 1 / 32;

export function createCanvas(canvas, ring, scene, { stamp, changed }) {
  let chosen = -1;
  let held = null; // where the shape was taken, from its middle
  let moved = false;

  function show() {
    scene.render(canvas);
    const shape = scene.shapes[chosen];
    ring.hidden = !shape;
    if (!shape) return;
    const percent = (share) => `${100 * share}%`;
    Object.assign(ring.style, {
      left: percent(shape.x),
      top: percent(shape.y),
      width: percent(2.5 * shape.radius),
      height: percent(2.5 * shape.radius),
    });
  }

  function choose(index) {
    chosen = index;
    show();
  }

  function place({ clientX, clientY }) {
    const box = canvas.getBoundingClientRect();
    return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
  }

  function put(x, y) {
    if (scene.full) return;
    chosen = scene.add({ ...stamp(), x, y });
    scene.move(chosen, x, y); // inside the frame
    show();
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = place(event);
    const hit = scene.shapeAt(x, y);
    moved = hit < 0;
    if (hit < 0) put(x, y);
    else choose(hit);
    const shape = scene.shapes[chosen];
    held = shape ? [x - shape.x, y - shape.y] : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = place(event);
    if (!moved) scene.hold();
    moved = true;
    scene.move(chosen, x - held[0], y - held[1]);
    show();
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, () => {
      if (held && moved) changed();
      held = null;
    });

  function remove() {
    if (!scene.shapes[chosen]) return;
    scene.remove(chosen);
    choose(-1);
    changed();
  }

  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const shape = scene.shapes[chosen];
    const move = (across, down) => () => {
      if (!shape) return;
      scene.hold();
      scene.move(chosen, shape.x + across * KEY_STEP, shape.y + down * KEY_STEP);
      show();
      changed();
    };
    const actions = {
      ArrowLeft: move(-1, 0),
      ArrowRight: move(1, 0),
      ArrowUp: move(0, -1),
      ArrowDown: move(0, 1),
      Delete: remove,
      Backspace: remove,
      Enter: () => {
        put(0.5, 0.5);
        changed();
      },
      " ": () => choose(scene.shapes.length ? (chosen + 1) % scene.shapes.length : -1),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });

  return {
    show,
    remove,
    forget: () => choose(-1),
    get chosen() {
      return chosen;
    },
  };
}
