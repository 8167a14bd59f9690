"""Tokens of a text: characters, words, byte-pair encoding; and batches of them as tables.

Sources: Gage 1994 and Sennrich, Haddow and Birch 2016 (byte-pair encoding). WordPiece (Schuster and Nakajima
2012) and Unigram (Kudo 2018) are those of the `tokenizers` library, trained on the reader's text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise

WORD_START = "▁"  # the first character of a token that begins a word
PADDING_TOKEN, UNKNOWN, START, END = "<pad>", "<unk>", "<s>", "</s>"
SPECIAL = (PADDING_TOKEN, UNKNOWN, START, END)
HAS_TOKENIZERS = find_spec("tokenizers") is not None  # the page without a server lacks that library
_SUBWORD_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]")


@dataclass(frozen=True)
class Merge:
    """One step of byte-pair encoding."""

    pair: tuple[str, str]
    count: int  # occurrences of the pair in the text

    @property
    def token(self) -> str:
        """The token that it makes."""
        return "".join(self.pair)


def words(text: str) -> list[str]:
    """Return words and punctuation marks; a Chinese or Japanese sign is one by itself."""
    return _SUBWORD_WORD.findall(text)


def characters(text: str) -> list[str]:
    """Return the characters of a text, with WORD_START for spaces."""
    return [WORD_START if sign.isspace() else sign for sign in text.strip()]


def pieces(text: str) -> list[tuple[str, ...]]:
    """Return the words between spaces as signs, each after `WORD_START`: the start of BPE."""
    return [(WORD_START, *word) for word in text.split()]


def learn_merges(text: str, max_merges: int) -> list[Merge]:
    """Return at most `max_merges` merges of byte-pair encoding.

    Each joins the most frequent pair of neighbours. Of equally frequent pairs, the one that sorts first is
    joined. It ends when no pair occurs twice.
    """
    count_of_spelling = Counter(pieces(text))
    result: list[Merge] = []
    for _ in range(max_merges):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in count_of_spelling.items():
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        pair, count = min(pairs.items(), key=lambda item: (-item[1], item[0]))
        if count < 2:
            break
        result.append(Merge(pair, count))
        merged: Counter[tuple[str, ...]] = Counter()
        for word, times in count_of_spelling.items():
            merged[_join_pair(word, pair)] += times
        count_of_spelling = merged
    return result


def apply_merges(text: str, merges: Sequence[Merge]) -> list[str]:
    """Return the tokens of a text after these merges, in the order in which they were learnt."""
    result = pieces(text)
    for merge in merges:
        result = [_join_pair(word, merge.pair) for word in result]
    return [token for word in result for token in word]


def _join_pair(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out, index = list[str](), 0
    while index < len(word):
        size = 2 if word[index : index + 2] == pair else 1
        out.append("".join(word[index : index + size]))
        index += size
    return tuple(out)


@dataclass(frozen=True)
class Vocabulary:
    """Ids of tokens: the special ones first, then those of a text by frequency."""

    tokens: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> Vocabulary:
        """Return the vocabulary of some lines; among equally frequent tokens, the one that sorts first."""
        token_counts = Counter(token for text in texts for token in text)
        return cls((*SPECIAL, *sorted(token_counts, key=lambda token: (-token_counts[token], token))))

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the id of each token, that of `UNKNOWN` for a missing one."""
        known_ids = {token: index for index, token in enumerate(self.tokens)}
        return [known_ids.get(token, SPECIAL.index(UNKNOWN)) for token in tokens]


def batch(lines: Sequence[Sequence[str]], longest: int, *, left: bool = False) -> list[list[str]]:
    """Return lines as a table of one width, (B, W): with start and end tokens, cut at `longest`, padded.

    A line that is too long loses its last tokens and keeps the end token. `left` pads before the start token,
    as networks that continue a text need it. W is the length of the longest line, at most `longest`. Raises
    ValueError for a `longest` below 3.
    """
    if longest < 3:
        raise ValueError("a line needs room for a start token, a token and an end token")
    framed = [[START, *line[: longest - 2], END] for line in lines]
    width = max(map(len, framed), default=0)
    paddings = [[PADDING_TOKEN] * (width - len(line)) for line in framed]
    return [pad + line if left else line + pad for pad, line in zip(paddings, framed, strict=True)]


def wordpiece(lines: Sequence[str], size: int) -> list[list[str]]:
    """Return each line's tokens by a WordPiece vocabulary of at most `size` tokens (at least the signs)."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=[UNKNOWN], show_progress=False)
    return _train_and_split(tokenizer, trainer, lines)


def unigram(lines: Sequence[str], size: int) -> list[list[str]]:
    """Return each line's tokens by a Unigram vocabulary of at most `size` tokens (at least the signs)."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=[UNKNOWN], unk_token=UNKNOWN, show_progress=False
    )
    return _train_and_split(tokenizer, trainer, lines)


def _train_and_split(tokenizer: object, trainer: object, lines: Sequence[str]) -> list[list[str]]:
    tokenizer.train_from_iterator(lines, trainer)  # type: ignore[attr-defined]
    return [tokenizer.encode(line).tokens for line in lines]  # type: ignore[attr-defined]


def cut_by_method(lines: Sequence[str], merges: Sequence[Merge]) -> dict[str, list[list[str]]]:
    """Return the tokens of each line by each method."""
    return {
        "characters": [characters(line) for line in lines],
        "words": [words(line) for line in lines],
        "bpe": [apply_merges(line, merges) for line in lines],
    }


def facts_of(
    lines: Sequence[str],
    merges: Sequence[Merge],
    cut: Mapping[str, Sequence[Sequence[str]]],
    kind: str,
    table: Sequence[Sequence[str]],
) -> dict[str, float | str]:
    """Return the numbers of tokens of `cut` by each method, and of a `batch` of those of one `kind`."""
    return {
        **{f"{name}_tokens": sum(map(len, tokens)) for name, tokens in cut.items()},
        **{f"bpe_line_{number}": len(line) for number, line in enumerate(cut["bpe"], 1)},
        "merges_learnt": len(merges),
        "paddings": sum(row.count(PADDING_TOKEN) for row in table),
        "cut_off": sum(max(len(line) + 2 - len(table[0]), 0) for line in cut[kind]),
        "vocabulary": len(SPECIAL) + len({token for line in cut[kind] for token in line}),
        **(_first_facts(lines, merges[0]) if merges else {}),
    }


def _first_facts(lines: Sequence[str], first: Merge) -> dict[str, float | str]:
    """Return the first merge, its count, and the pairs of neighbours that stand as often."""
    pairs = Counter(pair for line in lines for word in pieces(line) for pair in pairwise(word))
    rivals = [
        "".join(pair) for pair, count in sorted(pairs.items()) if count == first.count and pair != first.pair
    ]
    return {
        "first_merge": first.token,
        "first_merge_count": first.count,
        "first_merge_rivals": len(rivals),
        **({"first_merge_rival": rivals[0]} if rivals else {}),
    }
