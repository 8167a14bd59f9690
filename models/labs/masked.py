"""Guessing a masked token from its left context, from its right context, and from both.

Each direction is a stack of GRUs that never reads the token itself. The bidirectional network adds the logits
of both directions, which share one output bias. So it adds up the evidence of the two sides, but cannot learn
from their combination. Stacks that were joined between their layers would read the masked token (Peters et
al. 2018 also keep them separate; the idea is from Schuster and Paliwal 1997).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from models.labs.ngrams import sentences
from models.labs.training import Progress

WORDS, CHARACTERS = "words", "characters"
FORWARD, BACKWARD, BOTH = "forward", "backward", "both"
NETWORKS = (FORWARD, BACKWARD, BOTH)
UNKNOWN_ID, EDGE_ID = 0, 1  # ids for tokens outside the vocabulary, and for the edges of sentences
MAX_VOCABULARY = 600  # tokens
EMBEDDING_WIDTH, GRU_WIDTH = 32, 48
WINDOW_TOKENS, WINDOWS_PER_STEP = 20, 24
MASKED_LEARNING_RATE, CLIP_NORM = 1e-2, 1.0
NUM_MASKED_STEPS = 240
TEST_SHARE = 0.1  # the share of the text, at its end, that is not trained on
MAX_TEST_WINDOWS = 40
MASKED_SEED = 7
_WHITE_SPACE = re.compile(r"\s+")


def tokens_of(text: str, unit: str) -> list[str]:
    """Return the words of a text with an empty token at each edge of a sentence, or its characters.

    `unit` is WORDS or CHARACTERS. Tokens are in lower case.
    """
    if unit == WORDS:
        return [token for words in sentences(text) for token in ("", *words)] + [""]
    return ["", *_WHITE_SPACE.sub(" ", text.strip().lower()), ""]


@dataclass(frozen=True)
class FrequentTokens:
    """The most frequent tokens of a text; `tokens[UNKNOWN_ID]` and `tokens[EDGE_ID]` are none of these."""

    unit: str
    tokens: tuple[str, ...]

    @classmethod
    def of(cls, tokens: Sequence[str], unit: str) -> FrequentTokens:
        """Return the tokens by frequency, then in the order of the text."""
        counts = Counter(token for token in tokens if token)
        frequent = [token for token, _ in counts.most_common(MAX_VOCABULARY)]
        return cls(unit, ("<unk>", "", *frequent))

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of tokens; UNKNOWN_ID for those it lacks."""
        ids = {token: index for index, token in enumerate(self.tokens)}
        return [ids.get(token, UNKNOWN_ID) for token in tokens]


class GruStack(nn.Module):
    """One direction: embeddings, GRUs one above the other, and a matrix to logits without a bias."""

    def __init__(self, size: int, layers: int, rng: Generator) -> None:
        super().__init__()
        # On the meta device no weights are drawn, so the generator of the whole process stays unchanged.
        self.embedding = nn.Embedding(size, EMBEDDING_WIDTH, device="meta")
        self.cells = nn.GRU(EMBEDDING_WIDTH, GRU_WIDTH, layers, batch_first=True, device="meta")
        self.output = nn.Linear(GRU_WIDTH, size, bias=False, device="meta")
        self.to_empty(device="cpu")
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-(GRU_WIDTH**-0.5), GRU_WIDTH**-0.5, generator=rng)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits of the token that follows each token: (B, T) -> (B, T, V)."""
        logits: Tensor = self.output(self.cells(self.embedding(ids))[0])
        return logits


class MaskedModel(nn.Module):
    """Logits of every token from the tokens on one side of it, or on both."""

    def __init__(self, name: str, size: int, layers: int, rng: Generator) -> None:
        super().__init__()
        self.before = None if name == BACKWARD else GruStack(size, layers, rng)
        self.behind = None if name == FORWARD else GruStack(size, layers, rng)
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits of the inner tokens: ids (B, T) with an edge at both ends -> (B, T - 2, V)."""
        logits = self.bias
        if self.before is not None:
            logits = logits + self.before(ids[:, :-2])
        if self.behind is not None:
            logits = logits + self.behind(ids[:, 2:].flip(1)).flip(1)
        return logits


@dataclass(frozen=True)
class MaskedResult:
    """The results of three networks after some steps."""

    vocabulary: FrequentTokens
    layers: int
    losses: Mapping[str, tuple[float, ...]]  # nats for a token, by network
    weights: Mapping[str, Mapping[str, Tensor]]
    right: Mapping[str, int]  # correct among `tested` held-out tokens; empty before the end
    tested: int


def steps_of(steps: int, layers: int) -> int:
    """Return the number of steps: fewer with more layers, so that the training takes about as long."""
    return 2 * steps // (layers + 1)


def train(
    text: str, unit: str, layers: int, steps: int = NUM_MASKED_STEPS
) -> Iterator[Progress[MaskedResult]]:
    """Train three networks side by side on the same windows of a text."""
    tokens = tokens_of(text, unit)
    vocabulary = FrequentTokens.of(tokens[: round(len(tokens) * (1 - TEST_SHARE))], unit)
    ids = torch.tensor(vocabulary.ids(tokens))
    read = ids[: round(len(ids) * (1 - TEST_SHARE))]
    rng = Generator().manual_seed(MASKED_SEED)
    networks = {name: MaskedModel(name, len(vocabulary.tokens), layers, rng) for name in NETWORKS}
    optimizers = {
        name: torch.optim.Adam(network.parameters(), lr=MASKED_LEARNING_RATE)
        for name, network in networks.items()
    }
    losses: dict[str, list[float]] = {name: [] for name in NETWORKS}
    right: dict[str, int] = {}
    windows = held_out(ids[len(read) :])
    tested = int((windows[:, 1:-1] != UNKNOWN_ID).sum())

    def snapshot() -> MaskedResult:
        weights = {
            name: {key: value.detach().clone() for key, value in network.state_dict().items()}
            for name, network in networks.items()
        }
        curves = {name: tuple(loss) for name, loss in losses.items()}
        return MaskedResult(vocabulary, layers, curves, weights, dict(right), tested)

    steps = steps_of(steps, layers)
    for step in range(steps):
        starts = torch.randint(len(read) - WINDOW_TOKENS + 1, (WINDOWS_PER_STEP, 1), generator=rng)
        batch = read[starts + torch.arange(WINDOW_TOKENS)]
        for optimizer in optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = MASKED_LEARNING_RATE * (1 - step / steps)
        for index, (name, network) in enumerate(networks.items(), 1):
            loss = cost(network, batch)
            optimizers[name].zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), CLIP_NORM)
            optimizers[name].step()
            losses[name].append(float(loss.detach()))
            yield Progress((step + index / len(networks)) / (steps + 1), snapshot)
    for name, network in networks.items():
        right[name] = correct(network, windows)
        yield Progress(1.0, snapshot)


def cost(network: MaskedModel, batch: Tensor) -> Tensor:
    """Return the mean cross-entropy of the inner tokens of (B, T) windows, without unknown ones."""
    logits = network(batch)
    return F.cross_entropy(logits.flatten(0, 1), batch[:, 1:-1].flatten(), ignore_index=UNKNOWN_ID)


def held_out(ids: Tensor) -> Tensor:
    """Return at most MAX_TEST_WINDOWS windows, one behind the other: (N, WINDOW_TOKENS)."""
    return (
        ids.unfold(0, WINDOW_TOKENS, WINDOW_TOKENS)[:MAX_TEST_WINDOWS]
        if len(ids) >= WINDOW_TOKENS
        else ids.unsqueeze(0)
    )


@torch.no_grad()
def correct(network: MaskedModel, windows: Tensor) -> int:
    """Return the number of tokens of windows (N, T) that are the network's most probable ones."""
    targets = windows[:, 1:-1]
    return int(((network(windows).argmax(dim=-1) == targets) & (targets != UNKNOWN_ID)).sum())


@torch.no_grad()
def candidates(result: MaskedResult, before: Sequence[str], after: Sequence[str], count: int) -> Candidates:
    """Return each network's most probable tokens for a blank between two runs of tokens."""
    vocabulary = result.vocabulary
    ids = torch.tensor([vocabulary.ids(["", *before, "", *after, ""])])
    most_probable = {}
    for name, weights in result.weights.items():
        network = MaskedModel(
            name, len(vocabulary.tokens), result.layers, Generator().manual_seed(MASKED_SEED)
        )
        network.load_state_dict(weights)
        logits = network(ids)[0, len(before)]
        logits[UNKNOWN_ID] = -torch.inf
        best = logits.softmax(dim=0).topk(min(count, len(logits) - 1))
        most_probable[name] = [
            (vocabulary.tokens[index], share)
            for index, share in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]
    return most_probable


Candidates = Mapping[str, Sequence[tuple[str, float]]]  # network -> (token, probability), best first
