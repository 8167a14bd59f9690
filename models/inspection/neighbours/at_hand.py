"""States at hand while a reader looks at one step: those kept on this machine, or some made at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from models.batch import Batch
from models.corpus.generated.all_tasks import TASKS, generate
from models.corpus.pairs import Pair
from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.strategies.greedy import Greedy
from models.errors import Message
from models.inspection.neighbours.states import CONTEXT, DECODER, StatePart, unfold
from models.inspection.neighbours.store import (
    INDEX,
    StateStore,
    StateStoreError,
    fingerprint,
    open_states,
    place_of,
    states_at_once,
)
from models.inspection.question import Question
from models.lru_cache import LruCache
from models.registry.checkpoint import Checkpoint
from models.tokenization.pictures import PictureError

KEPT, GENERATED, EXAMPLES = "kept", "generated", "examples"
SEED = 17
GENERATED_PAIRS, GENERATED_PICTURES = 300, 120  # made in less than a second
MOST_LINES = 40  # that a reader types
AT_ONCE = 8  # stores that are remembered


@dataclass(frozen=True)
class AtHand:
    """Stored states, and where they are from."""

    parts: tuple[StatePart, ...]
    origin: str  # KEPT, GENERATED or EXAMPLES
    own: int  # sentences among them that the reader gave
    problem: Message | str = ""  # why those that are kept cannot be used

    def count(self, kind: str) -> int:
        """States of a kind."""
        return StateStore(self.parts).count(kind)

    @property
    def pairs(self) -> int:
        """Sentences."""
        return StateStore(self.parts).pairs


class StatesAtHand:
    """Stores by checkpoint, the ones used last; several threads may ask."""

    def __init__(self, most: int = AT_ONCE) -> None:
        self._stores: LruCache[Hashable, StateStore | None] = LruCache(most)

    def __len__(self) -> int:
        return len(self._stores)

    def of(
        self, checkpoint: Checkpoint, root: Path, lines: Sequence[str] = (), sentences: Sequence[Pair] = ()
    ) -> AtHand:
        """What is kept under `root`; else pairs of the task, if it is generated; else the examples.

        To the examples come `sentences` with their references, the same ones for the same checkpoint.
        Lines of the reader come on top: a source, whose output is then the network's own, or source, tab and
        output.
        """
        own_print, problem, kept = fingerprint(checkpoint), "", None
        try:
            index = place_of(root, checkpoint.name) / INDEX
            written = index.stat().st_mtime_ns if index.exists() else 0
            kept = self._stores.get_or_make(
                (own_print, index, written), lambda: open_states(root, checkpoint)
            )
        except StateStoreError as error:
            problem = error.message
        except OSError:  # nobody may look there
            pass
        given = tuple(line for line in map(str.strip, lines) if line)[:MOST_LINES]
        if kept is not None:
            base, origin = kept, KEPT
        elif checkpoint.config.task in TASKS:
            base, origin = self._made(checkpoint, own_print, GENERATED, generated_pairs), GENERATED
        else:
            of = EXAMPLES, tuple(sentences)
            base = self._made(checkpoint, own_print, of, lambda asked: (*example_pairs(asked), *sentences))
            origin = EXAMPLES
        if not given:
            return AtHand(base.parts, origin, 0, problem)
        more = self._made(checkpoint, own_print, given, lambda asked: line_pairs(asked, given))
        return AtHand((*base.parts, *more.parts), origin, more.pairs, problem)

    def _made(
        self,
        checkpoint: Checkpoint,
        own_print: str,
        of: Hashable,
        pairs: Callable[[Checkpoint], Sequence[Pair]],
    ) -> StateStore:
        store = self._stores.get_or_make(
            (own_print, of), lambda: states_at_once(checkpoint, pairs(checkpoint))
        )
        assert store is not None
        return store


def generated_pairs(checkpoint: Checkpoint) -> tuple[Pair, ...]:
    """Some pairs of the checkpoint's task, always the same."""
    count = GENERATED_PICTURES if checkpoint.tokenizer.picture is not None else GENERATED_PAIRS
    return generate(checkpoint.config.task, count, random.Random(SEED))


def example_pairs(checkpoint: Checkpoint) -> tuple[Pair, ...]:
    """The checkpoint's examples, with what it writes for them."""
    return _with_outputs(checkpoint, checkpoint.config.examples)


def line_pairs(checkpoint: Checkpoint, lines: Sequence[str]) -> tuple[Pair, ...]:
    """Of lines the sources with the output behind a tab, or with what the network writes."""
    columns = [line.split("\t") for line in lines]
    alone = [line[0].strip() for line in columns if len(line) == 1]
    written = dict(_with_outputs(checkpoint, alone))
    pairs = []
    for source, *target in columns:
        if target:
            pairs.append((source.strip(), target[0].strip()))
        elif source.strip() in written:
            pairs.append((source.strip(), written[source.strip()]))
    return tuple(pairs)


def _with_outputs(checkpoint: Checkpoint, sources: Sequence[str]) -> tuple[Pair, ...]:
    """By greedy search; what is no picture, where one is wanted, is left out."""
    most = checkpoint.model.max_positions or MAX_LENGTH
    fitting = [text for text in dict.fromkeys(sources) if _fits(checkpoint, text, most)]
    if not fitting:
        return ()
    options = DecodingOptions(strategy=Greedy.name, max_length=min(checkpoint.config.max_length, most))
    outputs = translate(checkpoint.model, checkpoint.tokenizer, fitting, options)
    return tuple(zip(fitting, outputs, strict=True))


def _fits(checkpoint: Checkpoint, text: str, most: int) -> bool:
    try:
        return bool(text) and len(checkpoint.tokenizer.encode(text).tokens) <= most
    except PictureError:
        return False


@dataclass(frozen=True)
class StepStates:
    """A step of an output: its states by kind (D,), those of the encoder, and what the network says."""

    of_step: dict[str, Tensor]  # DECODER and, with attention, CONTEXT
    of_source: Tensor  # (S, D)
    log_probs: Tensor  # (V,) nats


def states_of(checkpoint: Checkpoint, question: Question) -> StepStates:
    """As the network goes through the prefix of a question and is about to write its token."""
    target = (*question.prefix[1:], question.token)
    tokenizer, device = checkpoint.tokenizer, next(checkpoint.model.parameters()).device
    batch = Batch.from_ids([question.source], [target], bos_id=question.prefix[0], pad_id=tokenizer.pad_id)
    unfolded = unfold(checkpoint.model, batch.to(device))
    features = unfolded.features[:, -1]  # with its row, which packed weights ask for
    with torch.inference_mode():
        log_probs = checkpoint.model.log_probs(checkpoint.model.project(features)[0])
    result = {DECODER: features[0].float().cpu()}
    if unfolded.context is not None:
        result[CONTEXT] = unfolded.context[0, -1].float().cpu()
    return StepStates(result, unfolded.memory[0].float().cpu(), log_probs.cpu())
