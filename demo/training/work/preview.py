"""A preview of training data: counts, lengths, some pairs, malformed rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from demo.i18n import later, message_text, say
from demo.i18n.display import percent_text
from demo.training.work.source import Prepared
from demo.training.work.workload import Workload
from demo.widgets.captions.run import few_pairs_sentence
from models.budget import let_others_run
from models.corpus.files.table import Malformed
from models.corpus.pairs import Pair
from models.corpus.statistics import CorpusStatistics, in_tokens, sample, token_lengths
from models.tokenization.tokenizer import Tokenizer
from models.training.recipe.sections import TokenizerConfig
from models.training.recipe.vocabulary import learnt_tokenizer

SHOWN_PAIRS = 8
SHOWN_MALFORMED = 50

ESTIMATED_TOKENS = later("Numbers of tokens are estimated from {count} pairs, spread over the data.")
UNKNOWN_SOURCE = later(
    "{share} of the source tokens are not in the vocabulary: the model reads {unknown} there. "
    "Enlarge the vocabulary or take another kind of tokens."
)
UNKNOWN_TARGET = later(
    "{share} of the target tokens are not in the vocabulary: the model reads {unknown} there. "
    "Enlarge the vocabulary or take another kind of tokens."
)


@dataclass(frozen=True)
class DataPreview:
    """The preview that the page draws."""

    description: str
    notes: tuple[str, ...]
    pairs: tuple[Pair, ...]  # some of the training pairs
    statistics: CorpusStatistics
    vocab_size: int
    encoding: str  # the encoding of the file; "" if there is no file
    trainable: int  # training pairs that are short enough; an estimate where not all were tokenized
    malformed: tuple[Malformed, ...]
    malformed_count: int


def preview(
    prepared: Prepared,
    token_counts: CorpusStatistics,
    settings: TokenizerConfig,
    tokenizer: Tokenizer | None,
    max_pieces: int,
) -> tuple[DataPreview, Workload]:
    """Preview the pairs with their counts, in tokens of `tokenizer` or of one learnt from them.

    With many pairs, figures in tokens are estimated from a sample, and a note says so. Raises
    TokenizerError.
    """
    some = sample(prepared.train)
    if tokenizer is None:
        tokenizer = learnt_tokenizer(settings, some)
        let_others_run()
    lengths = token_lengths(some, tokenizer)
    statistics = in_tokens(token_counts, lengths, max_pieces)
    share = (statistics.short_enough or 0) / len(some)
    data_preview = DataPreview(
        description=prepared.description,
        notes=tuple(filter(None, (message_text(prepared.note), *_warnings(statistics, len(prepared.valid))))),
        pairs=_some(prepared.train),
        statistics=statistics,
        vocab_size=tokenizer.vocab_size,
        encoding=prepared.encoding,
        trainable=round(share * len(prepared.train)),
        malformed=tuple(
            replace(row, reason=message_text(row.reason)) for row in prepared.malformed[:SHOWN_MALFORMED]
        ),
        malformed_count=prepared.malformed_count,
    )
    return data_preview, Workload(lengths, -(-len(prepared.train) // len(some)))


def _some(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Some pairs, evenly spaced over the corpus."""
    step = max(1, len(pairs) // SHOWN_PAIRS)
    return tuple(pairs[::step][:SHOWN_PAIRS])


def _warnings(statistics: CorpusStatistics, valid_pairs: int) -> list[str]:
    """Warnings about suspicious numbers."""
    result = [few_pairs_sentence(valid_pairs)]
    if statistics.source.tokenized < statistics.pairs:
        result.append(say(ESTIMATED_TOKENS, count=f"{statistics.source.tokenized:,}"))
    if statistics.leaked_sources:
        result.append(
            say(
                "Validation sources that occur in training: {count}. The figures will be too good.",
                count=f"{statistics.leaked_sources:,}",
            )
        )
    for warning, side in ((UNKNOWN_SOURCE, statistics.source), (UNKNOWN_TARGET, statistics.target)):
        if side.unknown_rate and side.unknown_rate > 0.01:
            result.append(say(warning, share=percent_text(side.unknown_rate), unknown="<unk>"))
    if statistics.identical > 0.2 * statistics.pairs:
        result.append(
            say("Pairs with the same text on both sides: {count}.", count=f"{statistics.identical:,}")
        )
    return result
