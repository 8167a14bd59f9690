// Ranks what the search finished anew, for another length penalty, and draws score against it. Asks nobody.
const LENGTH_BASES = { none: () => 1, power: (length) => length, gnmt: (length) => (5 + length) / 6 };

function createRanking(root, selection, plotly, rank) {
  const card = root.querySelector(".tv-ranking-card");
  const form = card.querySelector("form");
  const slider = card.querySelector("input[type=range]");
  const shown = card.querySelector("output");
  const reset = card.querySelector(".tv-reset");
  const caption = card.querySelector(".tv-scores-caption");
  const chart = createChart(root, card.querySelector(".tv-scores"), plotly);
  const { state } = selection;
  let own = null; // { kind, alpha } of the search
  let now = null; // of the reader
  let lines = []; // { index, hypothesis, ends } of each line in the figure
  let frames = 0; // a waiting move of the marks
  let wired = false;

  const ranking = () => state.model?.payload.ranking;
  const base = (hypothesis, kind) => LENGTH_BASES[kind](hypothesis.token_ids.length);
  const scoreOf = (hypothesis, { kind, alpha }) => hypothesis.log_prob / base(hypothesis, kind) ** alpha;
  const isOwn = () => now.kind === own.kind && Math.abs(now.alpha - own.alpha) < 1e-9;

  // By score, best first; of equal scores the one that the search put first.
  function byScore(scores) {
    return [...scores.keys()].sort((one, other) => scores[other] - scores[one] || one - other);
  }

  function rankNow() {
    const { hypotheses } = state.model;
    const exact = isOwn();
    const scores = hypotheses.map((hypothesis) => (exact ? hypothesis.score : scoreOf(hypothesis, now)));
    // Where the search ranked by something else than the score, only the reader's hand puts the score first.
    const keeps = exact && !now.touched;
    rank({ order: keeps ? [...scores.keys()] : byScore(scores), scores, byScore: true });
    return scores;
  }
