// @ts-check
// The computations of the worker: decodings and the tokens of a source, on one checkpoint at a time.

import { decode, decodeWithAndWithoutWords } from "../models/decode.js";
import { UnrolledError } from "../models/errors.js";
import { buildModel } from "../models/networks/network.js";
import { isFast, newArena } from "../models/product.js";
import { betterOutput, scoredReference, scoresOf } from "../models/scoring.js";
import { Tokenizer } from "../models/tokenization/tokenizer.js";
import { readWeights } from "../models/weights.js";
import { fetchFile, fetchJson } from "./files.js";

/** @import { Python } from "./files.js" */
/** @typedef {import("../models/decode.js").Checkpoint & { name: string, config: any }} Checkpoint */

const REFUSED = '{"refused":';
const YIELD_MS = 30; // milliseconds of work before the messages of the page may arrive

/** Let the messages of the page arrive. */
const yieldToMessages = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(null);
    };
    port2.postMessage(null);
  });

/** The facts about a checkpoint that Python needs. @param {Checkpoint} checkpoint */
const factsOf = ({ name, config, tokenizer }) => ({
  label: name,
  max_length: config.max_length,
  usual_length: config.usual_length ?? null,
  reads_pictures: tokenizer.picture !== null,
  translates: config.source_language !== config.target_language,
});

/** What a checkpoint does; its card, which says more, is not here. @param {Record<string, any>} config */
const taskOf = ({ task, source_language, target_language }) => ({
  task,
  ...(task === "translation" && target_language && { languages: [source_language, target_language] }),
});

/**
 * A function that a search calls after each step: lets messages arrive, then returns the reason to stop, or null.
 * @param {() => string | null} why
 */
function watch(why) {
  let latest = performance.now();
  return async () => {
    if (performance.now() - latest > YIELD_MS) {
      await yieldToMessages();
      latest = performance.now();
    }
    return why();
  };
}

export class Computing {
  /**
   * @param {{ base: string, language: string, report: (progress: { loaded: number, total: number }) => void,
   *   startPython: (base: string) => Promise<Python> }} page
   */
  constructor({ base, language, report, startPython }) {
    this.base = base;
    this.language = language;
    this.report = report;
    this.startPython = startPython;
    /** @type {Promise<Python> | null} */
    this.python = null;
    /** @type {{ name: string, checkpoint: Promise<Checkpoint> } | null} */
    this.slot = null; // one network at a time, for the memory of a phone
    this.cancelled = 0; // requests up to this number end with what they have
    this.requests = 0;
    /** @type {Promise<unknown>} */
    this.last = Promise.resolve(); // the latest decoding; the next one waits for its end
    this.comparison = ""; // the comparison whose rows are decoded; rows of others end
  }

  /** Fetch a checkpoint and Python. Returns whether this browser computes fast. @param {{ checkpoint: string }} call */
  async load({ checkpoint }) {
    await Promise.all([this._checkpoint(checkpoint), this._python()]);
    return { isFast: isFast() };
  }

  /** What Python answers, as JSON. @param {{ question: string, values: Record<string, unknown> }} call */
  async answer({ question, values }) {
    return this._answering(async (ask) => ask(question, values));
  }

  /** End all decodings so far with what they have. */
  cancel() {
    this.cancelled = this.requests;
  }

  /**
   * The data for `TraceView` and a note, as JSON. A request ends earlier ones.
   * @param {{ request: Record<string, any> }} call
   */
  async decode({ request }) {
    this.cancel();
    const number = ++this.requests;
    return this._queued(() => this._decoded(request, number));
  }

  /**
   * The data that the rows of a comparison need, with the reference as the network scores it, as JSON.
   * @param {{ request: Record<string, any>, run: string }} call
   */
  async comparisonRows({ request, run }) {
    this.comparison = run;
    const read = await this._checkpoint(request.checkpoint);
    return this._answering(async (ask) => {
      const rows = JSON.parse(ask("comparison_rows", { request, checkpoint: factsOf(read) }));
      const reference = rows.reference && (await scoredReference(read, request.text, rows.reference));
      return JSON.stringify({ ...rows, rescored: reference || null });
    });
  }

  /**
   * The data for `CompareView`, as JSON.
   * @param {{ request: Record<string, any>, rows: { outcome?: { text: string } }[], run: string, finished: boolean,
   *   reference: object | null }} call
   */
  async comparisonData({ request, rows, ...state }) {
    const checkpoint = factsOf(await this._checkpoint(request.checkpoint));
    const texts = new Set(rows.flatMap(({ outcome }) => (outcome ? [outcome.text] : [])));
    const metrics = request.reference ? ["bleu", "chrf"] : [];
    const scores = Object.fromEntries(
      metrics.map((metric) => [metric, scoresOf([...texts], request.reference, metric)]),
    );
    return this._answering(async (ask) => ask("comparison", { request, checkpoint, rows, scores, ...state }));
  }

  /**
   * The outcome of a row of a comparison, as JSON.
   * @param {{ checkpoint: string, text: string, settings: any, seconds: number, run: string }} call
   */
  async comparisonRow({ checkpoint, text, settings, seconds, run }) {
    return this._queued(async () => {
      const read = await this._checkpoint(checkpoint);
      return this._answering(async (ask) => {
        const begun = performance.now();
        const why = () => {
          if (this.comparison !== run) return "cancelled";
          return performance.now() - begun > 1000 * seconds ? "time" : null;
        };
        const language = read.config.target_language ?? "";
        const trace = await decode(read, text, settings, { language }, watch(why));
        const milliseconds = performance.now() - begun;
        return ask("row_outcome", { trace: JSON.stringify({ ...trace, checkpoint }), milliseconds });
      });
    });
  }

  /** End the comparison. */
  endComparison() {
    this.comparison = "";
  }

  /** The data of `SourceTokens`, as JSON. @param {{ checkpoint: string, text: string }} call */
  async tokens({ checkpoint, text }) {
    const { tokenizer } = await this._checkpoint(checkpoint);
    return this._answering(async (ask) => {
      ask("check_typed_text", { text });
      const { tokens, unknown } = await tokenizer.encode(text);
      return ask("token_chips", {
        ids: tokens.map(({ id }) => id),
        surfaces: tokens.map(({ surface }) => surface),
        spans: tokens.map(({ start, end }) => [start, end]),
        unknown,
      });
    });
  }

  /** @param {Record<string, any>} request @param {number} number  counts the requests */
  async _decoded(request, number) {
    const read = await this._checkpoint(request.checkpoint);
    const { name, config, tokenizer } = read;
    const checkpoint = factsOf(read);
    return this._answering(async (ask) => {
      const { text, settings, forced, typed, overrides } = JSON.parse(
        ask("decoder_arguments", { request, checkpoint }),
      );
      const tokens = typed ? [...forced, ...tokenizer.tokenIdsOfText(typed)] : forced;
      const intervention = { forced: tokens, overrides, language: config.target_language ?? "" };
      const onStep = watch(() => (number <= this.cancelled ? "cancelled" : null));
      const trace = await decodeWithAndWithoutWords(read, text, settings, intervention, onStep);
      const better = await betterOutput(read, text, request.better ?? []);
      const signed = { ...trace, checkpoint: name, ...taskOf(config) };
      return ask("view_data", { trace: JSON.stringify(signed), checkpoint, better });
    });
  }

  /** Work after the decodings so far. @param {() => Promise<string>} work */
  _queued(work) {
    const answer = this.last.catch(() => null).then(work);
    this.last = answer;
    return answer;
  }

  /**
   * Call Python, and turn refusals and the decoder's errors into errors with a sentence.
   * @param {(ask: (answer: string, values: Record<string, unknown>) => string) => Promise<string>} work
   */
  async _answering(work) {
    const python = await this._python();
    const ask = (/** @type {string} */ answer, /** @type {Record<string, unknown>} */ values) => {
      const text = python(answer, values, this.language);
      if (text.startsWith(REFUSED)) throw new Error(JSON.parse(text).refused);
      return text;
    };
    try {
      return await work(ask);
    } catch (error) {
      if (!(error instanceof UnrolledError)) throw error;
      return ask("refusal", { message: error.toDict() });
    }
  }

  _python() {
    this.python ??= this.startPython(this.base);
    this.python.catch(() => {
      this.python = null; // the next call tries again
    });
    return this.python;
  }

  /** @param {string} name */
  _checkpoint(name) {
    if (this.slot?.name !== name) {
      const slot = { name, checkpoint: this._read(name) };
      this.slot = slot;
      slot.checkpoint.catch(() => {
        if (this.slot === slot) this.slot = null;
      });
    }
    return this.slot.checkpoint;
  }

  /** @param {string} name @returns {Promise<Checkpoint>} */
  async _read(name) {
    const folder = `${this.base}checkpoints/${encodeURIComponent(name)}/`;
    const [config, vocabulary, weights] = await Promise.all([
      fetchJson(`${folder}config.json`),
      fetchJson(`${folder}tokenizer.json`),
      fetchFile(`${folder}model.safetensors`, this.report),
    ]);
    newArena();
    return { name, config, tokenizer: new Tokenizer(vocabulary), network: buildModel(config, readWeights(weights)) };
  }
}
