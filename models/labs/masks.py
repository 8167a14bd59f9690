"""Self-attention under the three masks of Transformers, in one small network, seeded or trained.

Source: Vaswani et al. 2017, sections 3.2 and 3.5; the masks as in Raffel et al. 2020, section 3.2.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.labs.training import Progress

ENCODER_MASK, DECODER_MASK, PREFIX_MASK = "encoder", "decoder", "prefix"
MODEL_WIDTH, NUM_MASKED_LAYERS = 32, 2
NUM_LETTERS, STRING_LENGTH = 8, 6  # different letters of the copying task, letters of a string
SEPARATOR_ID = NUM_LETTERS
TASK_LENGTH = 2 * STRING_LENGTH  # input tokens: the string, the separator, the copy without its last letter
NUM_COPY_STEPS, STRINGS_PER_STEP, COPY_LEARNING_RATE = 500, 32, 5e-3
NUM_TEST_STRINGS = 200
MASKS_SEED = 7
ROUNDING_ERROR = 1e-9  # a smaller difference is due to rounding


def mask(kind: str, length: int, prefix: int) -> Tensor:
    """Return a mask (T, T) bool: whether the token of a row may attend to the token of a column.

    With ENCODER_MASK (BERT) every token may attend to all; with DECODER_MASK (GPT) to itself and earlier
    tokens. With PREFIX_MASK (encoder-decoder, prefix language model) the first `prefix` tokens may attend to
    each other, and later tokens to themselves and earlier ones.
    """
    if kind == ENCODER_MASK:
        return torch.ones(length, length, dtype=torch.bool)
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    if kind == DECODER_MASK:
        return causal
    first = torch.arange(length) < prefix
    return causal | (first.unsqueeze(0) & first.unsqueeze(1))


class SmallTransformer(nn.Module):
    """A Transformer of pre-norm layers with one head each, and random weights from a generator."""

    def __init__(self, vocabulary: int, positions: Tensor | None, generator: torch.Generator) -> None:
        """positions (P, MODEL_WIDTH) are added to the embeddings; None = the network has no positions."""
        super().__init__()
        self.positions = positions

        def matrix(rows: int, columns: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns, generator=generator) / math.sqrt(rows))

        def one_for_each_layer(rows: int, columns: int) -> nn.ParameterList:
            return nn.ParameterList([matrix(rows, columns) for _ in range(NUM_MASKED_LAYERS)])

        self.embedding = nn.Parameter(torch.randn(vocabulary, MODEL_WIDTH, generator=generator))
        self.attention = one_for_each_layer(MODEL_WIDTH, 3 * MODEL_WIDTH)
        self.mixing = one_for_each_layer(MODEL_WIDTH, MODEL_WIDTH)
        self.up = one_for_each_layer(MODEL_WIDTH, 4 * MODEL_WIDTH)
        self.down = one_for_each_layer(4 * MODEL_WIDTH, MODEL_WIDTH)
        self.output = matrix(MODEL_WIDTH, vocabulary)

    def states(self, ids: Tensor, allowed: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Return states (B, T, D) and each layer's weights (B, T, T) for ids (B, T) and allowed (T, T)."""
        x = self.embedding[ids]
        if self.positions is not None:
            x = x + self.positions[: ids.shape[1]].to(x.dtype)
        result = []
        for layer in range(NUM_MASKED_LAYERS):
            queries, keys, values = (_norm(x) @ self.attention[layer]).chunk(3, dim=-1)
            scores = queries @ keys.transpose(1, 2) / math.sqrt(MODEL_WIDTH)
            result.append(scores.masked_fill(~allowed, -math.inf).softmax(dim=-1))
            x = x + result[-1] @ values @ self.mixing[layer]
            x = x + (_norm(x) @ self.up[layer]).relu() @ self.down[layer]
        return _norm(x), result

    def forward(self, ids: Tensor, allowed: Tensor) -> Tensor:
        """Return the logits (B, T, V)."""
        return self.states(ids, allowed)[0] @ self.output


def _norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, (MODEL_WIDTH,))


@dataclass(frozen=True)
class ChangedWord:
    """The results of one seeded network on T words under a mask."""

    weights: tuple[tuple[float, ...], ...]  # (T, T) of the first layer
    allowed: tuple[tuple[bool, ...], ...]  # (T, T)
    changes: tuple[float, ...]  # T: the largest change of each word's output if one word is another
    reversal_difference: float  # the largest, of reversed outputs to the outputs of reversed words


@torch.inference_mode()
def changed_word(
    ids: Sequence[int], kind: str, prefix: int, positions: Tensor | None, changed: int
) -> ChangedWord:
    """Run the network on word ids, 0 to T - 1; `changed` is the index of the changed word, from 0.

    It runs in double precision, so that rounding makes equal outputs differ by only about 1e-15.
    """
    generator = torch.Generator().manual_seed(MASKS_SEED)
    network = SmallTransformer(len(ids) + 1, positions, generator).double()
    words, allowed = torch.tensor([list(ids)]), mask(kind, len(ids), prefix)
    states, weights = network.states(words, allowed)
    changed_words = words.clone()
    changed_words[0, changed] = len(ids)  # a word that the text has not
    after = network.states(changed_words, allowed)[0]
    reverse = network.states(words.flip(1), allowed)[0].flip(1)
    return ChangedWord(
        _nested_tuples(weights[0][0]),
        tuple(tuple(row) for row in allowed.tolist()),
        tuple((after - states)[0].abs().amax(dim=1).tolist()),
        float((reverse - states).abs().max()),
    )


def change_facts(result: ChangedWord, changed: int) -> dict[str, float | str]:
    """Return how many outputs change, and by how much before and after the `changed` word, from 0."""
    before, after = result.changes[:changed], result.changes[changed:]
    return {
        "outputs_changed": sum(change > ROUNDING_ERROR for change in result.changes),
        "outputs": len(result.changes),
        "change_before": round_to_zero(max(before, default=0.0)),
        "change_after": max(after),
        "order_difference": round_to_zero(result.reversal_difference),
    }


def round_to_zero(change: float) -> float:
    """Return a change, 0 if it is due to rounding."""
    return 0.0 if change <= ROUNDING_ERROR else change


@dataclass(frozen=True)
class CopyingResult:
    """The results of a training on the copying task."""

    string: tuple[float, ...]  # nats per letter of the random string, at each step so far
    copy: tuple[float, ...]  # nats per letter of the copy, at each step so far
    example: str  # TASK_LENGTH tokens
    weights: tuple[tuple[tuple[float, ...], ...], ...]  # (L, T, T) of the example
    read: int = 0  # right letters of NUM_TEST_STRINGS copies if the true copy is read; 0 before the end
    self_read: int = 0  # right letters if the network reads its own output

    @property
    def tested(self) -> int:
        """The number of letters that were tested."""
        return NUM_TEST_STRINGS * STRING_LENGTH


def train(
    kind: str, positions: Tensor | None, seed: int = MASKS_SEED, steps: int = NUM_COPY_STEPS
) -> Iterator[Progress[CopyingResult]]:
    """Learn to predict every next token of a random string, a separator, and the string again."""
    generator = torch.Generator().manual_seed(seed)
    network = SmallTransformer(NUM_LETTERS + 1, positions, generator)
    optimizer = torch.optim.Adam(network.parameters(), lr=COPY_LEARNING_RATE)
    allowed = mask(kind, TASK_LENGTH, STRING_LENGTH + 1)
    example = strings(1, torch.Generator().manual_seed(seed + 1))
    string: list[float] = []
    copy: list[float] = []

    def snapshot(read: int = 0, self_read: int = 0) -> CopyingResult:
        with torch.no_grad():
            weights = network.states(example[:, :-1], allowed)[1]
        nested = tuple(_nested_tuples(weight[0]) for weight in weights)
        return CopyingResult(
            tuple(string), tuple(copy), as_letters(example[0, :-1].tolist()), nested, read, self_read
        )

    for step in range(steps):
        tokens = strings(STRINGS_PER_STEP, generator)
        logits = network(tokens[:, :-1], allowed)
        losses = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none").mean(dim=0)
        loss = losses.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        string.append(float(losses[: STRING_LENGTH - 1].detach().mean()))
        copy.append(float(losses[STRING_LENGTH:].detach().mean()))
        yield Progress((step + 1) / (steps + 1), snapshot)
    read, self_read = _right(network, allowed, torch.Generator().manual_seed(seed + 2))
    yield Progress(1.0, lambda: snapshot(read, self_read))


def copying_facts(result: CopyingResult | None, layer: int) -> dict[str, float | str]:
    """Return the losses, the last token's attention in a layer, from 1, and the shares of right letters."""
    facts: dict[str, float | str] = {"honest_loss": math.log(NUM_LETTERS)}
    if result is not None:
        facts |= {
            "string_loss": last_mean(result.string),
            "copy_loss": last_mean(result.copy),
            "largest_weight_of_last": max(result.weights[layer - 1][-1]),
        }
    if result is not None and result.read:
        facts |= {
            "read_right": result.read / result.tested,
            "written_right": result.self_read / result.tested,
        }
    return facts


def last_mean(losses: Sequence[float]) -> float:
    """Return the mean of the last steps."""
    last = losses[-20:]
    return sum(last) / len(last)


def strings(count: int, generator: torch.Generator) -> Tensor:
    """Return random strings, each followed by the separator and a copy: ids (B, 2 * STRING_LENGTH + 1)."""
    letters = torch.randint(NUM_LETTERS, (count, STRING_LENGTH), generator=generator)
    return torch.cat([letters, torch.full((count, 1), SEPARATOR_ID), letters], dim=1)


def as_letters(ids: Sequence[int]) -> str:
    """Return tokens of the task as letters, the separator as a bar."""
    return "".join("|" if token == SEPARATOR_ID else chr(ord("a") + token) for token in ids)


@torch.no_grad()
def _right(network: SmallTransformer, allowed: Tensor, generator: torch.Generator) -> tuple[int, int]:
    """Return the right letters of new strings if the network reads the true copy, and its own output."""
    tokens = strings(NUM_TEST_STRINGS, generator)
    targets = tokens[:, STRING_LENGTH + 1 :]
    read = network(tokens[:, :-1], allowed)[:, STRING_LENGTH:].argmax(dim=-1) == targets
    outputs = tokens[:, : STRING_LENGTH + 1]
    for length in range(STRING_LENGTH + 1, 2 * STRING_LENGTH + 1):
        following = network(outputs, allowed[:length, :length])[:, -1].argmax(dim=-1)
        outputs = torch.cat([outputs, following.unsqueeze(1)], dim=1)
    return int(read.sum()), int((outputs[:, STRING_LENGTH + 1 :] == targets).sum())


def _nested_tuples(matrix: Tensor) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
