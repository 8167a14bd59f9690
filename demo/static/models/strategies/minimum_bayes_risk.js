// Minimum Bayes risk: the sample that the others agree with most (Kumar and Byrne 2004; Eikema and Aziz 2020).

import { signature, utilityMatrix } from "../utility.js";
import { Sampling } from "./sampling.js";

export class MinimumBayesRisk extends Sampling {
  name = "mbr";

  /** @param {import("./table.js").Options} options @param {string} [language]  of the outputs (BCP 47) */
  constructor(options, language = "") {
    super(options);
    this.language = language;
    this.settings = { ...this.settings, utility: options.utility };
  }

  /** Sort the hypotheses by expected utility. @param {import("../record/recorder.js").Hypothesis[]} hypotheses */
  rerank(hypotheses) {
    if (!hypotheses.length) return { hypotheses, utilities: null };
    const { utility } = this.options;
    const matrix = utilityMatrix(
      hypotheses.map(({ text }) => text),
      utility,
      this.language,
    );
    const expected = matrix.map((row) => exactSum(row) / row.length);
    const order = [...expected.keys()].sort((one, other) => expected[other] - expected[one]);
    return {
      hypotheses: order.map((i) => ({ ...hypotheses[i], utility: expected[i] })),
      utilities: {
        metric: utility,
        signature: signature(utility, this.language),
        matrix: order.map((row) => order.map((column) => matrix[row][column])),
      },
    };
  }
}

/** The sum, the same for the same numbers in another order: the smallest are added first. @param {number[]} values */
const exactSum = (values) => [...values].sort((one, other) => one - other).reduce((sum, value) => sum + value, 0);
