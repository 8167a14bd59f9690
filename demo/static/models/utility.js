// The utility of one output if another were the reference: sentence-level chrF and BLEU, as sacrebleu computes them.

const SACREBLEU = "2.6.0"; // the version whose scores these are
const CHARACTER_ORDER = 6;
const WORD_ORDER = 4;
const BETA = 2; // weight of recall in chrF
const MIN_WORD_RULES = /** @type {[RegExp, string][]} */ ([
  [/([{-~[-` -&(-+:-@/])/g, " $1 "],
  [/([^0-9])([.,])/g, "$1 $2 "],
  [/([.,])([^0-9])/g, " $1 $2"],
  [/([0-9])(-)/g, "$1 $2 "],
]);
// Characters that sacrebleu's tokenizer for Chinese cuts apart.
const CHINESE = new RegExp(
  "[" +
    "\\u2001-\\u2a6d\\u2e80-\\u2eff\\u2f00-\\u2fdf\\u2ff0-\\u303f\\u3100-\\u312f\\u31a0-\\u31bf\\u31c0-\\u31ef" +
    "\\u4e00-\\u9fbb\\uf900-\\ufa2d\\ufa30-\\ufa6a\\ufa70-\\ufad9\\ufe10-\\ufe1f\\ufe30-\\ufe4f\\uff00-\\uffef" +
    "]",
  "gu",
);
const TOKENIZERS = /** @type {Record<string, string>} */ ({ zh: "zh", cmn: "zh", ja: "char" });

/** @typedef {Map<string, number>} Counts */

/** sacrebleu's signature of a utility. @type {(metric: string, language: string) => string} */
export function signature(metric, language) {
  const kind = metric === "chrf" ? "nc:6|nw:0|space:no" : `tok:${TOKENIZERS[language] ?? "13a"}|smooth:exp`;
  return `nrefs:1|case:mixed|eff:yes|${kind}|version:${SACREBLEU}`;
}

/**
 * Return the utility of each text (row) with each other one as its reference (column), from 0 to 100.
 * @param {string[]} texts
 * @param {string} metric  chrf or bleu
 * @param {string} language  BCP 47; chooses BLEU's tokenizer
 */
export function utilityMatrix(texts, metric, language) {
  const prepared = texts.map((text) => {
    if (metric === "chrf") return grams([...text.replace(/\s+/gu, "")], CHARACTER_ORDER);
    return grams(words(text, TOKENIZERS[language] ?? "13a"), WORD_ORDER);
  });
  const score = metric === "chrf" ? chrf : bleu;
  return prepared.map((hypothesis) => prepared.map((reference) => score(hypothesis, reference)));
}

/**
 * Return the utility of each text with a reference, from 0 to 100.
 * @type {(texts: string[], reference: string, metric: string) => number[]}
 */
export const utilities = (texts, reference, metric) =>
  texts.map((text) => utilityMatrix([text, reference], metric, "")[0][1]);

/** The n-grams of each order from 1 on. @type {(parts: string[], orders: number) => Counts[]} */
function grams(parts, orders) {
  return Array.from({ length: orders }, (_, order) => {
    /** @type {Counts} */
    const counts = new Map();
    for (let start = 0; start + order < parts.length; start++) {
      const gram = parts.slice(start, start + order + 1).join(" ");
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    return counts;
  });
}

/** @param {string} text @param {string} tokenizer */
function words(text, tokenizer) {
  const line = text.trimEnd();
  if (tokenizer === "char") return [...line].join(" ").split(/\s+/u).filter(Boolean);
  const spaced = tokenizer === "zh" ? line.trim().replace(CHINESE, " $& ") : ` ${unescapeLine(line)} `;
  const cut = MIN_WORD_RULES.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), spaced);
  return cut.split(/\s+/u).filter(Boolean);
}

/** @param {string} line */
const unescapeLine = (line) =>
  line
    .replaceAll("<skipped>", "")
    .replaceAll("-\n", "")
    .replaceAll("\n", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");

/** @param {Counts} counts */
const total = (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** @param {Counts} hypothesis @param {Counts} reference */
const matches = (hypothesis, reference) =>
  [...hypothesis].reduce((sum, [gram, count]) => sum + Math.min(count, reference.get(gram) ?? 0), 0);

/** chrF (Popović 2015). @type {(hypothesis: Counts[], reference: Counts[]) => number} */
function chrf(hypothesis, reference) {
  let [precision, recall, orders] = [0, 0, 0];
  for (const [order, counts] of hypothesis.entries()) {
    const [ours, theirs] = [total(counts), total(reference[order])];
    if (!ours || !theirs) continue;
    const shared = matches(counts, reference[order]);
    precision += shared / ours;
    recall += shared / theirs;
    orders++;
  }
  if (!(precision + recall)) return 0;
  const factor = BETA ** 2;
  return (
    (100 * (1 + factor) * (precision / orders) * (recall / orders)) / (factor * (precision / orders) + recall / orders)
  );
}

/**
 * BLEU (Papineni et al. 2002) with exponential smoothing and effective order.
 * @type {(hypothesis: Counts[], reference: Counts[]) => number}
 */
function bleu(hypothesis, reference) {
  const [ours, theirs] = [total(hypothesis[0]), total(reference[0])];
  const shared = hypothesis.map((counts, order) => matches(counts, reference[order]));
  if (!shared.some(Boolean)) return 0;
  let [logarithms, orders, smoothing] = [0, 0, 1];
  for (const [order, counts] of hypothesis.entries()) {
    const count = total(counts);
    if (!count) break;
    if (!shared[order]) smoothing *= 2;
    logarithms += Math.log(shared[order] ? (100 * shared[order]) / count : 100 / (smoothing * count));
    orders++;
  }
  return (ours < theirs ? Math.exp(1 - theirs / ours) : 1) * Math.exp(logarithms / orders);
}
