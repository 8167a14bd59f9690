// @ts-check
// The words that two texts have in common.

/**
 * Indices in `words` of a longest common subsequence with `others`.
 * @param {string[]} words
 * @param {string[]} others
 * @returns {Set<number>}
 */
export function commonWords(words, others) {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      lengths[i][j] =
        words[i] === others[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const common = /** @type {Set<number>} */ (new Set());
  for (let i = 0, j = 0; i < words.length && j < others.length; ) {
    if (words[i] === others[j]) {
      common.add(i);
      i += 1;
      j += 1;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return common;
}
