// Reads what demo/components/trace_payload.py wrote: records from tables, attention from bytes.
function readTrace(text) {
  const payload = JSON.parse(text);
  const raw = payload.trace;
  const source = records(raw.source);
  const hypotheses = records(raw.hypotheses).map(finite);
  const allNodes = records(raw.nodes).map(finite);
  const nodes = new Map(allNodes.map((node) => [node.id, node]));
  const steps = splitSteps(raw, allNodes);
  const rows = new Map(steps.flatMap((step) => step.rows.map((row) => [`${step.index} ${row.node}`, row])));
  const attention = raw.attention && { shape: raw.attention.shape, weights: decodeWeights(raw.attention.data) };
  const paths = hypotheses.map((hypothesis) => pathTo(nodes, hypothesis.node));
  const owners = new Map();
  paths.forEach((path, index) => path.forEach((node) => owners.has(node.id) || owners.set(node.id, index)));
  const shown = payload.picture && pictureSource(raw.source_text);
  return {
    payload, source, hypotheses, nodes, steps, paths, attention,
    picture: shown ? { source: shown, cells: payload.picture.cells } : null,
    path: (id) => pathTo(nodes, id),
    row: (node) => rows.get(`${node.step} ${node.parent}`),
    owner: (id) => owners.get(id) ?? -1, // the best hypothesis that runs through a node
    label: (surface) => payload.labels[surface][0],
    figureLabel: (surface) => payload.labels[surface].at(-1),
    weights: (row, layer, head) => averageWeights(attention, row.index, layer, head),
    toJSON: () => traceRecord(raw, source, hypotheses, steps, attention),
  };
}

function records(table) {
  const names = Object.keys(table);
  return table[names[0]].map((_, at) => Object.fromEntries(names.map((name) => [name, table[name][at]])));
}

// JSON has no infinity: the trace writes null for a probability of zero.
function finite(record) {
  for (const name of ["log_prob", "cumulative", "score"]) if (record[name] === null) record[name] = -Infinity;
  return record;
}

function splitSteps(raw, allNodes) {
  let row = 0;
  let node = 0;
  return raw.steps.map(([rowCount, nodeCount], index) => {
    const rows = Array.from({ length: rowCount }, () => readRow(raw.rows, row++));
    const nodes = allNodes.slice(node, (node += nodeCount));
    return { index, rows, nodes };
  });
}

function readRow(rows, index) {
  const top = rows.top[index].map(([token_id, token, log_prob]) => finite({ token_id, token, log_prob }));
  return { index, node: rows.node[index], top, entropy: rows.entropy[index] };
}

function decodeWeights(data) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new Uint16Array(bytes.buffer);
}

// (S) weights of one row; null for a layer or a head is the mean over them.
function averageWeights(attention, row, layer, head) {
  const [layers, heads, length] = attention.shape;
  const sums = new Float64Array(length);
  let count = 0;
  for (let l = 0; l < layers; l++) {
    if (layer !== null && l !== layer) continue;
    for (let h = 0; h < heads; h++) {
      if (head !== null && h !== head) continue;
      const start = ((row * layers + l) * heads + h) * length;
      for (let s = 0; s < length; s++) sums[s] += attention.weights[start + s];
      count += 1;
    }
  }
  return Array.from(sums, (sum) => sum / count / 65535);
}

function pathTo(nodes, id) {
  const path = [];
  for (let node = nodes.get(id); node; node = nodes.get(node.parent)) path.push(node);
  return path.reverse();
}

// The trace as `DecodingTrace.from_json` reads it, with the payload's rounding.
function traceRecord(raw, source, hypotheses, steps, attention) {
  const { nodes, rows, attention: block, ...rest } = raw;
  const layered = (row) => {
    if (!attention) return null;
    const [layers, heads] = attention.shape;
    const rounded = (l, h) => averageWeights(attention, row.index, l, h).map((weight) => +weight.toFixed(6));
    return Array.from({ length: layers }, (_, l) => Array.from({ length: heads }, (_, h) => rounded(l, h)));
  };
  const plainRow = (row) => ({ node: row.node, top: row.top, entropy: row.entropy, attention: layered(row) });
  const plainStep = (step) => ({ index: step.index, rows: step.rows.map(plainRow), nodes: step.nodes });
  return { ...rest, source, hypotheses, steps: steps.map(plainStep) };
}
