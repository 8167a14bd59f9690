// @ts-check
// The certainty of a prediction in words: a probability of 93 % and an entropy "like 2.3 equal choices" seem to
// contradict each other, since the entropy also counts the long tail.
import { t } from "../../widgets/view/translate.js";

const SURE_PROBABILITY = 0.9; // probability of the first token
const LEANING = 0.6;
const FEW_TOKENS = 6; // equally likely tokens that would be as uncertain

/**
 * @param {number} share probability of the most probable token
 * @param {number} entropy in nats
 */
export function certainty(share, entropy) {
  if (share >= SURE_PROBABILITY) return t("Sure of one token");
  if (share >= LEANING) return t("Leans to one token");
  if (Math.exp(entropy) < FEW_TOKENS) return t("Torn between a few tokens");
  return t("Open: many tokens are possible");
}
