"""A live-trained character language model, with gradient clipping and three ways to truncate.

Source: Zhang et al., Dive into Deep Learning (2023), chapter "Recurrent Neural Networks"; plain stochastic
gradient descent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Generator, Tensor, nn

from models.labs import recurrent
from models.labs.training import Progress, novel

NUM_ROWS, WINDOW_STEPS, NUM_HIDDEN = 16, 32, 64
NUM_UPDATES = 600  # two layers get half as many
EVALUATION_ROWS, EVALUATION_STEPS, EVALUATION_UPDATES = 32, 64, 50  # one evaluation every 50 updates
# Characters of a sample, updates between two samples, characters between two pauses.
SAMPLE_CHARACTERS, SAMPLE_UPDATES, PAUSE_CHARACTERS = 120, 150, 30
CHARACTER_SEED = 7
FULL_GRADIENT, TRUNCATED, RANDOMISED = "full", "truncated", "randomised"
OTHER_CHARACTER = "\ufffd"  # stands for all characters beyond the most frequent
MAX_ALPHABET = 500  # different characters
HELD_OUT_SHARE = 0.1  # the share of a text, at its end, that is not trained on


@dataclass(frozen=True)
class Characters:
    """A text in lower case as indices into its alphabet."""

    alphabet: str
    training_ids: Tensor  # (N,)
    held_out: Tensor  # (M,)

    @classmethod
    def of(cls, text: str) -> Characters:
        """Return the characters of a text of at least one character."""
        lower = text.lower()
        frequent = [character for character, _ in Counter(lower).most_common(MAX_ALPHABET)]
        other_character = OTHER_CHARACTER if len(frequent) < len(set(lower)) else ""
        alphabet = "".join(sorted(frequent)) + other_character
        index_of = {character: index for index, character in enumerate(alphabet)}
        ids = torch.tensor([index_of.get(character, len(alphabet) - 1) for character in lower])
        split = len(ids) - int(len(ids) * HELD_OUT_SHARE)
        return cls(alphabet, ids[:split], ids[split:])


def in_rows(ids: Tensor, rows: int, steps: int) -> Tensor:
    """Return ids (rows, length): at most `rows` rows of equal length, each with at least one window."""
    count = max(1, min(rows, len(ids) // (steps + 1)))
    length = len(ids) // count
    return ids[: count * length].view(count, length)


def window(streams: Tensor, number: int, steps: int) -> tuple[Tensor, Tensor, bool]:
    """Return window `number`: ids (steps, rows), the next ids, and whether it continues the last window."""
    windows = (streams.shape[1] - 1) // steps
    index = number % windows * steps
    return streams[:, index : index + steps].T, streams[:, index + 1 : index + steps + 1].T, index > 0


@dataclass(frozen=True)
class CharacterChoices:
    """The settings of a training."""

    kind: str  # a key of `models.labs.recurrent.GATES`
    layers: int
    rate: float
    threshold: float | None  # clipping threshold of the gradient norm; None: not clipped
    truncation: str  # FULL_GRADIENT, TRUNCATED or RANDOMISED
    every: int  # steps between two cuts, if TRUNCATED
    survival: float  # the probability of no cut, if RANDOMISED
    text: str = ""  # the reader's own; "" is the novel


@dataclass(frozen=True)
class CharacterResult:
    """The results of a training so far."""

    alphabet: int  # characters, |V|
    updates: int  # updates of the whole training
    losses: tuple[float, ...]  # the loss before each update, in nats per character
    norms: tuple[float, ...]  # gradient norms before clipping
    held_out: tuple[tuple[int, float], ...]  # (number of updates, held-out perplexity)
    held_out_characters: int
    gap: float  # the largest difference between output[-1] and h_n[-1]
    sample: str
    broke: bool  # True: the loss or the gradient is not a number any more


class CharacterModel:
    """A recurrent network over one-hot characters, and a linear layer."""

    def __init__(self, kind: str, size: int, layers: int, rng: Generator) -> None:
        self.kind, self.size = kind, size
        self.layers: list[recurrent.Layer] = recurrent.new_layers(kind, size, NUM_HIDDEN, layers, rng)
        bound = 1 / math.sqrt(NUM_HIDDEN)
        self.weight = torch.empty(size, NUM_HIDDEN).uniform_(-bound, bound, generator=rng)
        self.bias = torch.zeros(size)
        self.tensors = [
            *(tensor for layer in self.layers for tensor in layer.tensors),
            self.weight,
            self.bias,
        ]
        for tensor in self.tensors:
            tensor.requires_grad_()

    def zeros(self, rows: int) -> recurrent.CarriedState:
        """Return the state before the first character."""
        return recurrent.CarriedState.zeros(len(self.layers), rows, NUM_HIDDEN)

    def logits(
        self, ids: Tensor, state: recurrent.CarriedState, scales: list[float] | None = None
    ) -> tuple[Tensor, Tensor, recurrent.CarriedState]:
        """Return (T, B, V) for `ids` (T, B), the output (T, B, H), and the state after the last."""
        one_hot = nn.functional.one_hot(ids, self.size).float()
        output, state = recurrent.unroll(self.kind, self.layers, one_hot, state, scales)
        return output @ self.weight.T + self.bias, output, state


def loss_of(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy in nats."""
    return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


@torch.no_grad()
def held_out_perplexity(model: CharacterModel, characters: Characters) -> tuple[float, int, float]:
    """Return the held-out perplexity, the held-out characters, and the gap of output[-1] to h_n[-1]."""
    streams = in_rows(characters.held_out, EVALUATION_ROWS, EVALUATION_STEPS)
    steps = min(EVALUATION_STEPS, streams.shape[1] - 1)
    ids, targets, _ = window(streams, 0, steps)
    logits, output, state = model.logits(ids, model.zeros(len(streams)))
    gap = float((output[-1] - state.h[-1]).abs().max())
    return perplexity(float(loss_of(logits, targets))), targets.numel(), gap


def perplexity(nats: float) -> float:
    """Return exp of the loss, infinite if it overflows or the loss is not a number."""
    return math.exp(nats) if nats < 700 else math.inf


def train(choices: CharacterChoices) -> Iterator[Progress[CharacterResult]]:
    """Train update by update; end early once the loss is not a number."""
    characters, rng = Characters.of(choices.text or novel()), torch.Generator().manual_seed(CHARACTER_SEED)
    model = CharacterModel(choices.kind, len(characters.alphabet), choices.layers, rng)
    # Own generator for cuts, so that the initial weights do not depend on them.
    chance = torch.Generator().manual_seed(CHARACTER_SEED)
    streams = in_rows(characters.training_ids, NUM_ROWS, WINDOW_STEPS)
    updates = NUM_UPDATES // choices.layers
    first, count, gap = held_out_perplexity(model, characters)
    losses, norms, points, sample = list[float](), list[float](), [(0, first)], ""
    state, broke = model.zeros(len(streams)), False

    def snapshot() -> CharacterResult:
        curves = tuple(losses), tuple(norms), tuple(points)
        return CharacterResult(len(characters.alphabet), updates, *curves, count, gap, sample, broke)

    yield Progress(0.0, snapshot)
    for update in range(updates):
        ids, targets, follows = window(streams, update, WINDOW_STEPS)
        if not follows:
            state = model.zeros(len(streams))
        logits, _, state = model.logits(ids, state.detach(), _scales(choices, chance))
        loss = loss_of(logits, targets)
        yield Progress(update / updates, snapshot)
        gradients, norm = recurrent.clip(torch.autograd.grad(loss, model.tensors), choices.threshold)
        nats = float(loss.detach())
        broke = not (math.isfinite(norm) and math.isfinite(nats))
        if broke:
            points.append((update, math.inf))
            break
        losses.append(nats)
        norms.append(norm)
        with torch.no_grad():
            for tensor, gradient in zip(model.tensors, gradients, strict=True):
                tensor -= choices.rate * gradient
        if (update + 1) % EVALUATION_UPDATES == 0 or update + 1 == updates:
            yield Progress(update / updates, snapshot)
            points.append((update + 1, held_out_perplexity(model, characters)[0]))
        if (update + 1) % SAMPLE_UPDATES == 0 or update + 1 == updates:
            for text_so_far in sample_text(model, characters.alphabet):
                sample = text_so_far
                yield Progress(update / updates, snapshot)
        yield Progress((update + 1) / updates, snapshot)
    yield Progress(1.0, snapshot)


def sample_text(model: CharacterModel, alphabet: str) -> Iterator[str]:
    """Yield a text sampled from the model, longer and longer, always with the same seed."""
    rng, text = torch.Generator().manual_seed(CHARACTER_SEED), ""
    state, last = model.zeros(1), torch.tensor([[max(alphabet.find(" "), 0)]])
    while len(text) < SAMPLE_CHARACTERS:
        with torch.no_grad():
            for _ in range(PAUSE_CHARACTERS):
                logits, _, state = model.logits(last, state)
                probabilities = torch.softmax(logits[0], -1)
                if not bool(torch.isfinite(probabilities).all()):
                    return
                last = torch.multinomial(probabilities, 1, generator=rng)
                text += alphabet[int(last)]
        yield text


def _scales(choices: CharacterChoices, chance: Generator) -> list[float] | None:
    if choices.truncation == TRUNCATED:
        return recurrent.truncation_scales(WINDOW_STEPS, choices.every)
    if choices.truncation == RANDOMISED:
        return recurrent.randomly_truncated(WINDOW_STEPS, choices.survival, chance)
    return None


def rows_of(text: str) -> int:
    """Return the number of rows that are read side by side, fewer of a short text."""
    return len(in_rows(Characters.of(text).training_ids, NUM_ROWS, WINDOW_STEPS))


def weights_of(kind: str, size: int, layers: int) -> int:
    """Return the number of weights of such a network."""
    rows = recurrent.NUM_GATES[kind] * NUM_HIDDEN
    inputs = [size] + [NUM_HIDDEN] * (layers - 1)
    return sum(rows * (item + NUM_HIDDEN + 2) for item in inputs) + size * (NUM_HIDDEN + 1)
