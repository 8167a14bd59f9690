// @ts-check
// The drawing: a base picture and shapes on it, which a finger, a mouse or the keys add and move. Lengths are shares of
// a side.

const SUPERSAMPLING = 4;
const MAX_SHAPES = 40;
const MAX_UNDO = 50;

// Corners around the middle for a radius of 1, as `models/corpus/generated/shapes.py` draws them.
export function corners(kind) {
  const turns =
    kind === "square"
      ? Array.from({ length: 4 }, (_, index) => [Math.PI / 4 + (index * Math.PI) / 2, 1.25])
      : kind === "triangle"
        ? Array.from({ length: 3 }, (_, index) => [-Math.PI / 2 + (index * 2 * Math.PI) / 3, 1.15])
        : Array.from({ length: 10 }, (_, index) => [-Math.PI / 2 + (index * Math.PI) / 5, index % 2 ? 0.5 : 1.15]);
  return (tilt) => turns.map(([angle, reach]) => [reach * Math.cos(angle + tilt), reach * Math.sin(angle + tilt)]);
}

function drawShape(context, shape, colour, side) {
  const pixels = (share) => share * side;
  context.fillStyle = colour;
  context.beginPath();
  if (shape.kind === "circle") context.arc(pixels(shape.x), pixels(shape.y), pixels(shape.radius), 0, 2 * Math.PI);
  else
    for (const [x, y] of corners(shape.kind)(shape.tilt ?? 0))
      context.lineTo(pixels(shape.x + x * shape.radius), pixels(shape.y + y * shape.radius));
  context.fill();
}

/**
 * @typedef {object} Shape
 * @property {string} kind
 * @property {string} colour by its name
 * @property {number} x of its middle
 * @property {number} y of its middle
 * @property {number} radius
 * @property {number} tilt in radians
 */
/** @typedef {{ base: CanvasImageSource & { width: number } | null, text: string | null, background: string, shapes: Shape[] }} Scene */

/**
 * The context to draw on a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings]
 */
export const paperOf = (canvas, settings) =>
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", settings));

/** @param {Record<string, string>} colours by their names */
export function createScene(colours) {
  /** @type {Scene} */
  const blank = { base: null, text: null, background: "white", shapes: [] };
  let scene = blank; // immutable: the history is a list of scenes
  /** @type {Scene[]} */
  let history = [];

  function change(next) {
    history = [...history.slice(-MAX_UNDO + 1), scene];
    scene = { ...scene, text: null, ...next };
  }

  function shapeAt(x, y) {
    const reach = ({ radius, kind }) => radius * (kind === "circle" ? 1 : 0.95);
    return scene.shapes.findLastIndex(
      (shape) => Math.max(Math.abs(shape.x - x), Math.abs(shape.y - y)) <= reach(shape),
    );
  }

  // Draws at a larger size and averages, as for the pictures that the network was trained on.
  function render(canvas) {
    const { width: size } = canvas;
    const side = size * SUPERSAMPLING;
    const large = Object.assign(document.createElement("canvas"), { width: side, height: side });
    const context = paperOf(large, { willReadFrequently: true });
    context.fillStyle = scene.background;
    context.fillRect(0, 0, side, side);
    context.imageSmoothingEnabled = scene.base ? scene.base.width > size : false;
    if (scene.base) context.drawImage(scene.base, 0, 0, side, side);
    for (const shape of scene.shapes) drawShape(context, shape, colours[shape.colour], side);
    paperOf(canvas).putImageData(downsample(context.getImageData(0, 0, side, side).data, size), 0, 0);
  }

  return {
    get shapes() {
      return scene.shapes;
    },
    get text() {
      return scene.text;
    },
    get undoable() {
      return history.length > 0;
    },
    get full() {
      return scene.shapes.length >= MAX_SHAPES;
    },
    shapeAt,
    render,
    begin: (next) => {
      scene = { ...blank, ...next };
      history = [];
    },
    replace: (next) => change({ ...blank, ...next }),
    add: (shape) => {
      change({ shapes: [...scene.shapes, shape] });
      return scene.shapes.length - 1;
    },
    remove: (index) => change({ shapes: scene.shapes.filter((_, position) => position !== index) }),
    hold: () => change({}), // saves the scene before a shape is moved
    move(index, x, y) {
      const { radius } = scene.shapes[index];
      const inside = (value) => Math.max(radius, Math.min(1 - radius, value));
      scene = {
        ...scene,
        shapes: scene.shapes.map((shape, position) =>
          position === index ? { ...shape, x: inside(x), y: inside(y) } : shape,
        ),
      };
    },
    clear: () => change(blank),
    undo: () => {
      scene = history.pop() ?? scene;
    },
  };
}

function downsample(pixels, size) {
  const image = new ImageData(size, size);
  const side = size * SUPERSAMPLING;
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let down = 0; down < SUPERSAMPLING; down++)
          for (let across = 0; across < SUPERSAMPLING; across++)
            sum += pixels[4 * ((y * SUPERSAMPLING + down) * side + x * SUPERSAMPLING + across) + channel];
        image.data[4 * (y * size + x) + channel] = Math.round(sum / SUPERSAMPLING ** 2);
      }
  return image;
}

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
