"""Required words: the progress of each row, and how rows share a beam.

Dynamic beam allocation (Post and Vilar 2018): hypotheses that have equally many tokens of the words form a
bank, and the banks fill the beam in round-robin order: the turn of a candidate is its place in that order.
Imports torch only when a search begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from models.decoding.search.beam import NEG_INF, Beam, Candidates, ranked_top_k
from models.decoding.status import EXCLUDING_REASONS
from models.decoding.trace import RequiredPhrase

if TYPE_CHECKING:
    import torch
    from torch import Tensor

NO_TOKEN = -1
NO_TURN = -1  # in place of the turn of a candidate that may not be selected
TOO_LATE = -1  # in place of the bank of a candidate with too few tokens left for all the words
LIKELIEST_PER_ROW = 2  # candidates of each row: at least one of them is not the end token


@dataclass(frozen=True)
class RequiredWords:
    """The required words, which each output contains."""

    typed: tuple[RequiredPhrase, ...]

    @cached_property
    def phrases(self) -> tuple[tuple[int, ...], ...]:
        """The token ids of the words, each phrase once, without those that another one contains."""
        distinct = list(dict.fromkeys(phrase.token_ids for phrase in self.typed))
        return tuple(
            phrase
            for phrase in distinct
            if not any(phrase != other and first_end(phrase, other) is not None for other in distinct)
        )

    @cached_property
    def overlaps(self) -> tuple[int, ...]:
        """The greatest number of first tokens of each phrase that can also end another phrase."""
        overlap = dict.fromkeys(self.phrases, 0)
        for other, phrase in permutations(self.phrases, 2):
            sizes = range(1, min(len(other), len(phrase)))
            longest = max((size for size in sizes if other[-size:] == phrase[:size]), default=0)
            overlap[phrase] = max(overlap[phrase], longest)
        return tuple(overlap.values())

    @property
    def min_tokens_bound(self) -> int:
        """A lower bound on the length of an output that contains all phrases; exact for one or two."""
        # The first phrase overlaps nothing before it. The smallest overlap gives the lower bound.
        return sum(map(len, self.phrases)) - sum(self.overlaps) + min(self.overlaps)

    def word_ends(self, tokens: Sequence[int]) -> tuple[int, ...]:
        """Return the index of the last token of each typed phrase in an output that contains them all."""
        ends = (first_end(phrase.token_ids, tokens) for phrase in self.typed)
        return tuple(end for end in ends if end is not None)


def first_end(phrase: Sequence[int], tokens: Sequence[int]) -> int | None:
    """Return the index of the last token of the first occurrence of a phrase, or None."""
    size = len(phrase)
    starts = range(len(tokens) - size + 1)
    matches = (start for start in starts if tuple(tokens[start : start + size]) == tuple(phrase))
    return next((start + size - 1 for start in matches), None)


class PhraseTensors:
    """The Q required phrases as tensors: W tokens in all, M in the longest."""

    def __init__(self, required: RequiredWords, max_tokens: int, device: torch.device) -> None:
        """Prepare the tensors of a search; max_tokens: tokens that an output may have."""
        import torch  # loaded only when a search begins

        self.max_tokens = max_tokens
        self.phrases = [torch.tensor(phrase, device=device) for phrase in required.phrases]
        lengths = [len(phrase) for phrase in required.phrases]
        self.longest, self.num_tokens = max(lengths), sum(lengths)
        # The last column is NO_TOKEN: nothing follows a complete phrase.
        padded = [[*phrase, *[NO_TOKEN] * (self.longest + 1 - len(phrase))] for phrase in required.phrases]
        self.following = torch.tensor(padded, device=device)  # (Q, M + 1)
        self.lengths = torch.tensor(lengths, device=device)  # (Q,)
        self.overlaps = torch.tensor(required.overlaps, device=device)  # (Q,)
        prefixes = [
            (index, phrase[: size + 1])
            for index, phrase in enumerate(required.phrases)
            for size in range(len(phrase))
        ]
        padded_prefixes = [[*[NO_TOKEN] * (self.longest - len(prefix)), *prefix] for _, prefix in prefixes]
        self._prefixes = torch.tensor(padded_prefixes, device=device)  # (W, M), all prefixes of all phrases
        self._prefix_lengths = torch.tensor([len(prefix) for _, prefix in prefixes], device=device)  # (W,)
        self._prefix_phrases = torch.tensor([index for index, _ in prefixes], device=device)  # (W,)

    def with_progress(self, beam: Beam) -> Beam:
        """Return the beam with the progress of each row."""
        import torch  # loaded only when a search begins

        tokens = beam.tokens
        complete = torch.stack([_occurs(tokens, phrase) for phrase in self.phrases], dim=-1)  # (B, K, Q)
        missing = max(0, self.longest - tokens.shape[2])
        latest = torch.nn.functional.pad(tokens[..., -self.longest :], (missing, 0), value=NO_TOKEN)
        return replace(beam, words=WordProgress(self, latest, complete, beam.length, beam.eos_id))

    def matched_lengths(self, latest: Tensor) -> Tensor:
        """The length of the longest prefix of each phrase that ends the row. (..., M) -> (..., Q)."""
        matches = (latest.unsqueeze(-2) == self._prefixes) | (self._prefixes == NO_TOKEN)
        sizes = matches.all(dim=-1) * self._prefix_lengths  # (..., W)
        longest = sizes.new_zeros(*sizes.shape[:-1], len(self.lengths))
        return longest.scatter_reduce(-1, self._prefix_phrases.expand_as(sizes), sizes, "amax")


@dataclass(frozen=True)
class WordProgress:
    """The progress of the rows of a beam towards the required words."""

    phrases: PhraseTensors
    latest: Tensor  # (B, K, M), the last tokens of each row
    complete: Tensor  # (B, K, Q) bool, phrases that occur
    length: int  # tokens of each row
    eos_id: int

    def rows(self, group: slice) -> WordProgress:
        """Return the progress of some rows of each sentence."""
        return replace(self, latest=self.latest[:, group], complete=self.complete[:, group])

    def expansions(self, rank_scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Return the `count` best of rank_scores (B, K, V), and those that the words need.

        These are the tokens that continue a phrase, and LIKELIEST_PER_ROW of each row. Values and
        indices into K * V are ranked; each index occurs once, and values of -inf are unused.
        """
        import torch  # loaded only when a search begins

        vocab_size = rank_scores.shape[2]
        best, flat = ranked_top_k(rank_scores.flatten(1), count)
        phrases = self.phrases
        numbers = torch.arange(len(phrases.lengths), device=phrases.lengths.device)
        following = phrases.following[numbers, phrases.matched_lengths(self.latest)]  # (B, K, Q)
        following = following.masked_fill(self.complete, NO_TOKEN).to(rank_scores.device)
        likeliest = rank_scores.topk(min(LIKELIEST_PER_ROW, vocab_size), dim=-1).indices
        tokens = torch.cat((following, likeliest), dim=-1)  # (B, K, N)
        values = rank_scores.gather(2, tokens.clamp_min(0)).masked_fill(tokens == NO_TOKEN, NEG_INF)
        rows = torch.arange(rank_scores.shape[1], device=flat.device).view(1, -1, 1) * vocab_size
        flat = torch.cat((flat, (tokens.clamp_min(0) + rows).flatten(1)), dim=1)
        values = torch.cat((best, values.flatten(1)), dim=1)
        repeated = (flat.unsqueeze(2) == flat.unsqueeze(1)) & (values > NEG_INF).unsqueeze(1)
        values = values.masked_fill(repeated.tril(-1).any(dim=2), NEG_INF)
        best, columns = values.sort(dim=1, descending=True, stable=True)
        return best, flat.gather(1, columns)

    def with_banks(self, candidates: Candidates) -> Candidates:
        """Return the candidates with the bank of each."""
        import torch  # loaded only when a search begins

        phrases, parents = self.phrases, candidates.parents.unsqueeze(-1)
        parent_latest = self.latest.gather(1, parents.expand(-1, -1, phrases.longest))
        latest = torch.cat((parent_latest[..., 1:], candidates.tokens.unsqueeze(-1)), dim=-1)  # (B, C, M)
        matched = phrases.matched_lengths(latest)  # (B, C, Q)
        complete = self.complete.gather(1, parents.expand(-1, -1, len(phrases.lengths)))
        missing = ~(complete | (matched == phrases.lengths))
        tokens_needed = (missing * (phrases.lengths - torch.maximum(matched, phrases.overlaps))).sum(dim=-1)
        tokens_left = (phrases.max_tokens - self.length - 1) * (candidates.tokens != self.eos_id)
        bank = phrases.num_tokens - (missing * phrases.lengths).sum(dim=-1) + (missing * matched).amax(dim=-1)
        return replace(candidates, banks=bank.masked_fill(tokens_needed > tokens_left, TOO_LATE))


def _occurs(tokens: Tensor, phrase: Tensor) -> Tensor:
    """Whether a phrase occurs in each row. (B, K, T) -> (B, K) bool."""
    if tokens.shape[2] < len(phrase):
        return tokens.new_zeros(tokens.shape[:2]).bool()
    return (tokens.unfold(2, len(phrase), 1) == phrase).all(dim=-1).any(dim=-1)


def best_of_bank(candidates: Candidates) -> Tensor:
    """The highest rank score in the bank of each candidate, (B, C)."""
    assert candidates.banks is not None
    same_bank = candidates.banks.unsqueeze(2) == candidates.banks.unsqueeze(1)
    return candidates.rank_scores.unsqueeze(1).masked_fill(~same_bank, NEG_INF).amax(dim=2)


def turns_of(candidates: Candidates, num_groups: int = 1) -> Tensor:
    """The turn of each candidate in its group, (B, C), from 0; NO_TURN for one that does not compete.

    The best of each bank come first, higher banks before lower ones, then the second of each bank.
    """
    assert candidates.banks is not None
    competes = (candidates.banks != TOO_LATE) & (candidates.rank_scores > NEG_INF)
    for reason in EXCLUDING_REASONS if candidates.reasons is not None else ():
        competes &= candidates.reasons != reason.code
    size = competes.shape[1] // num_groups
    banks, competes = (column.view(-1, size) for column in (candidates.banks, competes))
    same_bank = (banks.unsqueeze(2) == banks.unsqueeze(1)) & competes.unsqueeze(1)
    rank_in_bank = same_bank.tril(-1).sum(dim=2)
    key = (rank_in_bank + 1) * (banks.amax(dim=1, keepdim=True) + 1) - banks
    turns = key.masked_fill(~competes, int(key.amax()) + 1).argsort(dim=1, stable=True).argsort(dim=1)
    return turns.masked_fill(~competes, NO_TURN).view_as(candidates.banks)
