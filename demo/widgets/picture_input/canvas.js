// @ts-check
// Draws by hand: a finger, a mouse or the keys add shapes and move them.
const KEY_STEP = 1 / 32;

export function createCanvas(canvas, ring, scene, { stamp, changed }) {
  let selected = -1;
  let grip = null; // the grabbed point of the shape, relative to its middle
  let moved = false;

  function show() {
    scene.render(canvas);
    const shape = scene.shapes[selected];
    ring.hidden = !shape;
    if (!shape) return;
    const [left, top, side] = [shape.x, shape.y, 2.5 * shape.radius].map((share) => `${100 * share}%`);
    Object.assign(ring.style, { left, top, width: side, height: side });
  }

  function choose(index) {
    selected = index;
    show();
  }

  function positionOf({ clientX, clientY }) {
    const box = canvas.getBoundingClientRect();
    return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
  }

  function put(x, y) {
    if (scene.full) return;
    selected = scene.add({ ...stamp(), x, y });
    scene.move(selected, x, y); // inside the frame
    show();
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = positionOf(event);
    const hit = scene.shapeAt(x, y);
    moved = hit < 0;
    if (hit < 0) put(x, y);
    else choose(hit);
    const shape = scene.shapes[selected];
    grip = shape ? [x - shape.x, y - shape.y] : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = positionOf(event);
    if (!moved) scene.hold();
    moved = true;
    scene.move(selected, x - grip[0], y - grip[1]);
    show();
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, () => {
      if (grip && moved) changed();
      grip = null;
    });

  function remove() {
    if (!scene.shapes[selected]) return;
    scene.remove(selected);
    choose(-1);
    changed();
  }

  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const shape = scene.shapes[selected];
    const move = (across, down) => () => {
      if (!shape) return;
      scene.hold();
      scene.move(selected, shape.x + across * KEY_STEP, shape.y + down * KEY_STEP);
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
      " ": () => choose(scene.shapes.length ? (selected + 1) % scene.shapes.length : -1),
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
      return selected;
    },
  };
}
