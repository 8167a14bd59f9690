"""Decoding steps that are captured once and then replayed: the same kernels, without Python between them.

A step of a few rows is a hundred kernels of a few microseconds each. To call them from Python takes longer
than to run them, and holds up every other decoding of the process meanwhile.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple

import torch
from torch import Tensor

from models.networks.base import DecoderState, Seq2SeqModel, StepOutput

PAYS_AFTER = 50  # steps of one kind: to capture takes as long as about 300 of them gain
WARM_UP = 3  # runs in which torch makes a program of what it has captured
FEW = 8  # rows up to which one thread is as quick as several in all but the output layer

Kind = tuple[int, ...]  # of steps that run the same kernels, whatever the sizes of their tensors


class Program(NamedTuple):
    """A captured step."""

    run: Callable[..., tuple[Tensor, ...]]  # all of it but the output layer
    made: int  # tensors of the state after it
    own: int  # of the target's attention to itself, one for each layer


class CapturedSteps:
    """The captured steps of one network that only decodes; its weights must stay the tensors that they are.

    Where torch cannot capture (`torch.jit` will go one day), steps are taken as ever.
    """

    def __init__(self) -> None:
        self._taken: Counter[Kind] = Counter()
        self._programs: dict[Kind, Program | None] = {}  # None: this kind cannot be captured
        self._capturing = Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> CapturedSteps:
        """Of a copied network nothing is captured: a program holds the weights of the one it was made of."""
        return CapturedSteps()

    def step(self, model: Seq2SeqModel, tokens: Tensor, state: DecoderState) -> StepOutput:
        """What `model.step(tokens, state)` returns. Call it in inference mode."""
        tensors = state.tensors()
        if tensors is None or model.training or (torch.get_num_threads() > 1 and len(tokens) > FEW):
            return model.step(tokens, state)
        made, read = tensors
        kind = (len(read), read[0].dim(), read[-1].dim())
        program = self._programs.get(kind) or self._captured(kind, model, tokens, state)
        if program is None:
            return model.step(tokens, state)
        try:
            hidden, *others = program.run(tokens, *made, *read)
        except RuntimeError:  # no room, or too long a target: the step itself says so in its own words
            return model.step(tokens, state)
        after, own = state.with_tensors(tuple(others[: program.made])), others[program.made :]
        cross = own.pop() if len(own) > program.own else None
        return StepOutput(model.project(hidden), after, hidden, cross, tuple(own))

    def _captured(
        self, kind: Kind, model: Seq2SeqModel, tokens: Tensor, state: DecoderState
    ) -> Program | None:
        """A program for steps of this kind once it pays; who comes while one is made does without."""
        if kind in self._programs:
            return None
        self._taken[kind] += 1
        if self._taken[kind] < PAYS_AFTER or not self._capturing.acquire(blocking=False):
            return None
        try:
            self._programs[kind] = capture(model, tokens, state)
        finally:
            self._capturing.release()
        return self._programs[kind]


def take_step(
    model: Seq2SeqModel, tokens: Tensor, state: DecoderState, override: Tensor | None
) -> StepOutput:
    """`model.step`, captured if the network can be and nothing is overridden. In inference mode alone."""
    if override is None and model.captured is not None:
        return model.captured.step(model, tokens, state)
    return model.step(tokens, state, override)


def capture(model: Seq2SeqModel, tokens: Tensor, state: DecoderState) -> Program | None:
    """A program for all steps of the kind of this one, whatever their sizes; None if torch has none."""
    tensors = state.tensors()
    if tensors is None or not hasattr(torch.jit, "trace"):
        return None
    made, own = len(tensors[0]), 0

    def step(tokens: Tensor, *tensors: Tensor) -> tuple[Tensor, ...]:
        nonlocal own
        output = model.step(tokens, state.with_tensors(tensors[:made], tensors[made:]))
        after = output.state.tensors()
        assert after is not None
        own = len(output.self_attentions)
        cross = () if output.cross_attention is None else (output.cross_attention,)
        return (output.hidden, *after[0], *output.self_attentions, *cross)

    with warnings.catch_warnings():
        # That it will go; and at each comparison of sizes, which only leads to messages of errors.
        warnings.simplefilter("ignore")
        try:
            inputs = (tokens, *tensors[0], *tensors[1])
            run: Callable[..., tuple[Tensor, ...]] = torch.jit.trace(step, inputs, check_trace=False)
            for _ in range(WARM_UP):
                run(*inputs)
        except RuntimeError:
            return None
    return Program(run, made, own)
