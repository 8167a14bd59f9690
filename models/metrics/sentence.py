"""The utility of one output if another were the reference, by chrF and BLEU; words as BLEU counts them.

Imports no torch. Minimum Bayes risk takes the output with the highest expected utility (Kumar and Byrne
2004), the expectation being the mean over samples of the model (Eikema and Aziz 2020).
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from models.budget import let_others_run
from models.errors import not_one_of

UTILITIES = ("chrf", "bleu")
# BLEU's default tokenizer splits words at spaces, which these languages do not write.
TOKENIZERS = {"zh": "zh", "cmn": "zh", "ja": "char"}
DEFAULT_TOKENIZER = "13a"


def signature(metric: str, language: str = "") -> str:
    """sacrebleu's signature of a utility. Raises ValueError for another metric."""
    scorer = _metric(metric, TOKENIZERS.get(language))
    scorer.sentence_score("a", ["a"])  # sacrebleu has a signature only after a score
    return str(scorer.get_signature())


def sentence_utility(hypothesis: str, reference: str, metric: str, language: str = "") -> float:
    """The utility, 0 to 100; `language` (BCP 47) chooses BLEU's tokenizer.

    Raises ValueError for another metric.
    """
    scorer = _metric(metric, TOKENIZERS.get(language))
    return float(scorer.sentence_score(hypothesis, [reference]).score)


def utility_matrix(texts: Sequence[str], metric: str, language: str = "") -> tuple[tuple[float, ...], ...]:
    """The utilities (N, N) of N texts; rows: hypotheses, columns: pseudo-references.

    Each different pair is computed once. Other work may run before each row, since a hundred texts of a
    hundred tokens take seconds.
    """
    index = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    scores = _pairwise(_metric(metric, TOKENIZERS.get(language)), list(index))
    return tuple(tuple(scores[index[a]][index[b]] for b in texts) for a in texts)


def expected_utilities(matrix: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The mean of each row, an output's utility for itself included.

    Raises ValueError for a matrix that is not square.
    """
    if any(len(row) != len(matrix) for row in matrix):
        sizes = f"{len(matrix)} rows of {sorted({len(row) for row in matrix})} numbers"
        raise ValueError(f"matrix must have as many columns as rows; got {sizes}")
    # `fsum` rounds once, so rows with the same numbers in another order have equal means.
    return tuple(math.fsum(row) / len(row) for row in matrix)


@lru_cache
def _metric(metric: str, tokenizer: str | None) -> Any:
    if metric not in UTILITIES:
        raise ValueError(not_one_of("utility", UTILITIES, metric))
    # Imported at first use, since the import takes longer than opening the page.
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    return CHRF() if metric == "chrf" else BLEU(tokenize=tokenizer, effective_order=True)


def _pairwise(scorer: Any, texts: Sequence[str]) -> list[list[float]]:
    """The `sentence_score` of each pair; the n-grams of a text are counted once, not N times."""
    prepared = [scorer._preprocess_segment(text) for text in texts]
    references = [scorer._extract_reference_info([text]) for text in prepared]
    if hasattr(scorer, "char_order"):
        # chrF counts the n-grams of hypotheses and references in the same way.
        prepared = references = [reference["ref_ngrams"][0] for reference in references]
        statistics = partial(_chrf_statistics, scorer)
    else:
        statistics = scorer._compute_segment_statistics
    rows = []
    for text in prepared:
        let_others_run()
        scores = (scorer._compute_score_from_stats(statistics(text, other)).score for other in references)
        rows.append([float(score) for score in scores])
    return rows


def _chrf_statistics(scorer: Any, hypothesis: Any, reference: Any) -> list[int]:
    """The result of `_compute_segment_statistics`, from n-grams already counted."""
    return list(chain.from_iterable(map(scorer._get_match_statistics, hypothesis, reference)))


def words(text: str, language: str = "") -> list[str]:
    """The tokens of a text by sacrebleu's tokenizer for a language (BCP 47)."""
    return tokens_of(text, TOKENIZERS.get(language, DEFAULT_TOKENIZER))


def tokens_of(text: str, tokenizer: str) -> list[str]:
    """The tokens of a text by one of sacrebleu's tokenizers."""
    return str(_tokenizer(tokenizer)(text.rstrip())).split()


def unspaced_language(texts: Iterable[str]) -> str:
    """Return "zh" or "ja" if most letters are Chinese or Japanese, else ""."""
    letters = (letter for text in texts for letter in text if letter.isalpha())
    counts = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters)
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    unspaced = kana + counts["CJK"]
    if 2 * unspaced <= counts.total():
        return ""
    return "ja" if 5 * kana > unspaced else "zh"  # a Chinese text may contain some Japanese


@lru_cache
def _tokenizer(name: str) -> Any:
    # Imported at first use, since the import takes longer than opening the page.
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=name).tokenizer
