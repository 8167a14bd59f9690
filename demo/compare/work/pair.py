"""Two decodings side by side: their first difference, and the probability of each word in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from demo.compare.work.rows import DecodingOutcome
from demo.i18n import later, quoted, say
from demo.i18n.display import METASPACE, display_token, number_text
from demo.widgets.answers.word_diff import token_divergence
from models.tokenization.plain_text import EOS

INSIDE_WORD = "##"  # prefix of a WordPiece piece inside a word
END = later("(end)")
MIN_REPORTED_NATS = 0.1  # nats: a smaller difference is not worth a sentence


@dataclass(frozen=True)
class OutputWord:
    """Output tokens that form one word for a reader."""

    text: str
    log_prob: float  # sum over its tokens, in nats


@dataclass(frozen=True)
class WordPair:
    """Words at the same position of two outputs; None where one of them has no word."""

    left: OutputWord | None
    right: OutputWord | None

    @property
    def same(self) -> bool:
        """Whether both words are the same."""
        return self.left is not None and self.right is not None and self.left.text == self.right.text

    @property
    def difference(self) -> float | None:
        """The nats by which the second word is more likely; None if the words differ."""
        if self.left is None or self.right is None or not self.same:
            return None
        return self.right.log_prob - self.left.log_prob


def words(outcome: DecodingOutcome) -> list[OutputWord]:
    """The words of an output; each token is a word if the tokens do not mark words."""
    spaced = any(token.startswith(METASPACE) for token in outcome.tokens)
    pieced = any(token.startswith(INSIDE_WORD) for token in outcome.tokens)
    result: list[OutputWord] = []
    for token, log_prob in zip(outcome.tokens, outcome.log_probs, strict=True):
        inside = (spaced and not token.startswith(METASPACE)) or (pieced and token.startswith(INSIDE_WORD))
        text = token.removeprefix(INSIDE_WORD if pieced else METASPACE if spaced else "")
        if token == EOS:
            result.append(OutputWord(say(END), log_prob))
        elif inside and result:
            result[-1] = OutputWord(result[-1].text + display_token(text), result[-1].log_prob + log_prob)
        else:
            result.append(OutputWord(display_token(text) if text else "", log_prob))
    return result


def word_pairs(left: DecodingOutcome, right: DecodingOutcome) -> list[WordPair]:
    """The words of both outputs, with equal words aligned."""
    return list(_align(words(left), words(right)))


def parting(left: DecodingOutcome, right: DecodingOutcome) -> str:
    """A sentence about the first different token of two outputs with one vocabulary."""
    index = token_divergence(left.token_ids, right.token_ids)
    if index is None:
        return say("Both outputs are the same.")
    step = index + 1
    one, other = (_token(outcome, step) for outcome in (left, right))
    return say(
        "They first differ at step {step}: {one} in the first, {other} in the second.",
        step=step,
        one=one,
        other=other,
    )


def largest_change(pairs: Sequence[WordPair]) -> str:
    """A sentence about the shared word whose probability changes most."""
    changes = [(pair.difference, pair.left) for pair in pairs if pair.difference is not None]
    changes = [change for change in changes if abs(change[0]) >= MIN_REPORTED_NATS]
    if not changes:
        shared = any(pair.same for pair in pairs)
        alike = say("Every shared word is about as likely in both.")
        return alike if shared else say("The two share no word.")
    most, word = max(changes, key=lambda change: abs(change[0]))
    assert word is not None
    values = {"word": word.text, "nats": number_text(abs(most))}
    if most > 0:
        return say("The shared word “{word}” changes most: {nats} nats likelier in the second.", **values)
    return say("The shared word “{word}” changes most: {nats} nats likelier in the first.", **values)


def _align(left: list[OutputWord], right: list[OutputWord]) -> Iterator[WordPair]:
    matcher = SequenceMatcher(a=[word.text for word in left], b=[word.text for word in right], autojunk=False)
    for _, start, end, begin, stop in matcher.get_opcodes():
        for index in range(max(end - start, stop - begin)):
            yield WordPair(
                left[start + index] if start + index < end else None,
                right[begin + index] if begin + index < stop else None,
            )


def _token(outcome: DecodingOutcome, step: int) -> str:
    if step > len(outcome.tokens):
        return say("nothing more")
    token = outcome.tokens[step - 1]
    return quoted(display_token(token.removeprefix(METASPACE) or token))
