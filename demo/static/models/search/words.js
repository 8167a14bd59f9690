// Required words: the progress of each row, and how rows share a beam (Post and Vilar 2018).

import { EOS_ID } from "../tokenization/segmentation.js";
import { NEG_INF, rankedTopK } from "./beam.js";
import { EXCLUDING_REASONS } from "./strategy.js";

/** @import { Candidates, Ranked } from "./beam.js" */
/** @typedef {{ text: string, token_ids: number[] }} RequiredPhrase */

export const NO_TURN = -1; // in place of the turn of a candidate that may not be selected
export const TOO_LATE = -1; // in place of the bank of a candidate with too few tokens left for all the words
const LIKELIEST_PER_ROW = 2; // candidates of each row: at least one of them is not the end token

/** The required words, which each output contains. */
export class RequiredWords {
  /** @param {RequiredPhrase[]} typed */
  constructor(typed) {
    this.typed = typed;
    const distinct = [...new Map(typed.map(({ token_ids: ids }) => [ids.join(), ids])).values()];
    /** Token ids, each phrase once, without those that another one contains. */
    this.phrases = distinct.filter(
      (phrase) => !distinct.some((other) => other !== phrase && firstEnd(phrase, other) >= 0),
    );
    /** The greatest number of first tokens of each phrase that can also end another phrase. */
    this.overlaps = this.phrases.map((phrase) =>
      Math.max(0, ...this.phrases.filter((other) => other !== phrase).map((other) => overlap(other, phrase))),
    );
  }

  get numTokens() {
    return this.phrases.reduce((sum, phrase) => sum + phrase.length, 0);
  }

  /** A lower bound on the length of an output that contains all phrases. */
  get minTokensBound() {
    return this.numTokens - this.overlaps.reduce((sum, size) => sum + size, 0) + Math.min(...this.overlaps);
  }

  /** The index of the last token of each typed phrase in an output. @param {number[]} tokens */
  wordEnds(tokens) {
    return this.typed.map(({ token_ids: ids }) => firstEnd(ids, tokens)).filter((end) => end >= 0);
  }
}

/**
 * The index of the last token of the first occurrence of a phrase, or -1.
 * @type {(phrase: number[], tokens: number[]) => number}
 */
function firstEnd(phrase, tokens) {
  for (let start = 0; start + phrase.length <= tokens.length; start++)
    if (phrase.every((token, i) => tokens[start + i] === token)) return start + phrase.length - 1;
  return -1;
}

/**
 * How many first tokens of a phrase can be the last of the one before.
 * @type {(before: number[], phrase: number[]) => number}
 */
function overlap(before, phrase) {
  for (let size = Math.min(before.length, phrase.length) - 1; size > 0; size--)
    if (phrase.slice(0, size).every((token, i) => before[before.length - size + i] === token)) return size;
  return 0;
}

/** How many first tokens of a phrase these tokens end with. @type {(phrase: number[], tokens: number[]) => number} */
function matchedLength(phrase, tokens) {
  for (let size = Math.min(phrase.length, tokens.length); size > 0; size--)
    if (phrase.slice(0, size).every((token, i) => tokens[tokens.length - size + i] === token)) return size;
  return 0;
}

/** The progress of the rows of a beam towards the required words. */
export class WordProgress {
  /**
   * @param {RequiredWords} required
   * @param {number} maxTokens  tokens that an output may have
   * @param {number[][]} tokens  of each row
   */
  constructor(required, maxTokens, tokens) {
    this.required = required;
    this.maxTokens = maxTokens;
    this.tokens = tokens;
    this.complete = tokens.map((row) => required.phrases.map((phrase) => firstEnd(phrase, row) >= 0));
  }

  /** The progress of some rows. @type {(start: number, end: number) => WordProgress} */
  rows(start, end) {
    return new WordProgress(this.required, this.maxTokens, this.tokens.slice(start, end));
  }

  /**
   * Return the `count` best rank scores (K * V), those that continue a phrase, and the best of each row: rank
   * scores and indices, ranked. Each index occurs once; values of -inf are unused.
   * @type {(rankScores: ArrayLike<number>, count: number) => Ranked}
   */
  expansions(rankScores, count) {
    const vocabSize = rankScores.length / this.tokens.length;
    const candidates = rankedTopK(rankScores, count).map((index) => ({ index, value: rankScores[index] }));
    for (const [row, tokens] of this.tokens.entries()) {
      const start = row * vocabSize;
      for (const [i, phrase] of this.required.phrases.entries()) {
        const matched = matchedLength(phrase, tokens);
        const isUnused = this.complete[row][i] || matched === phrase.length;
        const index = start + (isUnused ? 0 : phrase[matched]);
        candidates.push({ index, value: isUnused ? NEG_INF : rankScores[index] });
      }
      for (const index of rankedTopK(rankScores, LIKELIEST_PER_ROW, start, start + vocabSize))
        candidates.push({ index, value: rankScores[index] });
    }
    const indices = new Set();
    for (const candidate of candidates) {
      if (indices.has(candidate.index)) candidate.value = NEG_INF;
      else if (candidate.value > NEG_INF) indices.add(candidate.index);
    }
    candidates.sort((one, other) => compare(other.value, one.value));
    return { best: candidates.map(({ value }) => value), flat: candidates.map(({ index }) => index) };
  }

  /** Return the candidates with the bank of each. @param {Candidates} candidates @returns {Candidates} */
  withBanks(candidates) {
    const { phrases, overlaps, numTokens } = this.required;
    const banks = candidates.tokens.map((token, i) => {
      const parent = candidates.parents[i];
      const tokens = [...this.tokens[parent], token];
      let [tokensNeeded, missingTokens, longestMatch] = [0, 0, 0];
      for (const [number, phrase] of phrases.entries()) {
        const matched = matchedLength(phrase, tokens);
        if (this.complete[parent][number] || matched === phrase.length) continue;
        tokensNeeded += phrase.length - Math.max(matched, overlaps[number]);
        missingTokens += phrase.length;
        longestMatch = Math.max(longestMatch, matched);
      }
      const tokensLeft = token === EOS_ID ? 0 : this.maxTokens - tokens.length;
      return tokensNeeded > tokensLeft ? TOO_LATE : numTokens - missingTokens + longestMatch;
    });
    return { ...candidates, banks };
  }
}

/** @param {number} one @param {number} other */
const compare = (one, other) => (one === other ? 0 : one - other);

/** The highest rank score in the bank of each candidate. @param {Candidates} candidates */
export function bestOfBank({ banks = [], rankScores }) {
  /** @type {Map<number, number>} */
  const best = new Map();
  for (const [i, bank] of banks.entries()) best.set(bank, Math.max(best.get(bank) ?? NEG_INF, rankScores[i]));
  return banks.map((bank) => /** @type {number} */ (best.get(bank)));
}

/**
 * The turn of each candidate in its group, from 0; NO_TURN for one that does not compete. The best of each bank
 * come first, those of higher banks before others, then the second of each.
 * @type {(candidates: Candidates, groups?: number) => number[]}
 */
export function turnsOf({ banks = [], rankScores, reasons }, groups = 1) {
  const size = banks.length / groups;
  const turns = Array(banks.length).fill(NO_TURN);
  for (let group = 0; group < groups; group++) {
    const members = [];
    /** @type {Map<number, number>} */
    const numInBank = new Map();
    for (let i = group * size; i < (group + 1) * size; i++) {
      if (banks[i] === TOO_LATE || rankScores[i] === NEG_INF || EXCLUDING_REASONS.has(reasons?.[i] ?? "")) continue;
      const rank = numInBank.get(banks[i]) ?? 0;
      numInBank.set(banks[i], rank + 1);
      members.push({ i, rank });
    }
    members.sort((one, other) => one.rank - other.rank || banks[other.i] - banks[one.i]);
    for (const [turn, { i }] of members.entries()) turns[i] = turn;
  }
  return turns;
}
