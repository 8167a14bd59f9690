"""A decoding as a program that prints the numbers of the page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from demo.inspect.program import FOLDER, FRAME, scoring_program, template
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError
from models.registry.registry import Registry
from tests.fakes.processes.programs import run_script_here
from tests.refusals import Refusal, refused
from tests.source_modules import ROOT, Module

TOLERANCE = 1e-5  # nats; weights are stored in half precision, and neither side rounds more
# Each kind of network that has a program: cells, with and without attention, context at every step.
TEXTS = {
    "spa-eng-gru": "Hola, amigo.",
    "spa-eng-lstm": "Hola, amigo.",
    "spa-eng-gru-context": "</s> <script>",
    "reverse-rnn": "abcd",
    "spa-eng-transformer": "Hola, amigo.",
    "eng-cmn-transformer": 'I "like" it\\.',
}


@pytest.fixture(scope="module")
def context() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


def program_values(trace: DecodingTrace) -> dict[str, object]:
    ids = list(trace.hypotheses[0].token_ids)
    return {"checkpoint": trace.checkpoint, "text": trace.source_text, "output": ids}


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_a_program_prints_the_probabilities_of_the_page(
    name: str, context: AppContext, tmp_path: Path
) -> None:
    trace = context.decode(DecodeRequest(name, TEXTS[name]))
    answer = scoring_program(context, program_values(trace))
    path = tmp_path / "program.py"
    path.write_text(answer["script"], encoding="utf-8")
    printed = run_script_here(path, str(ROOT / "checkpoints" / name))
    *tokens, whole = [line.split("\t") for line in printed.splitlines()]
    best = trace.hypotheses[0]
    nodes = trace.path(best.node)
    assert [float(log_prob) for _, log_prob, _ in tokens] == pytest.approx(
        [node.log_prob for node in nodes], abs=TOLERANCE
    )
    assert float(whole[1]) == pytest.approx(best.log_prob, abs=TOLERANCE * len(nodes))


@pytest.mark.parametrize("name", sorted({path.stem for path in FOLDER.glob("*.py")} - {FRAME}))
def test_a_program_is_short_and_needs_only_torch(name: str) -> None:
    text = template(name)
    assert len(text.splitlines()) <= 80
    imported = {part.split(".")[0] for part in Module(name, text).imports()}
    assert imported - sys.stdlib_module_names == {"torch"}


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"checkpoint": "shapes-captioner"}, ("reads_pictures",)),
        ({"checkpoint": "soul"}, ("no_such_checkpoint",)),
        ({"output": []}, ("no_token_in_output",)),
        ({"output": ["a"]}, ("not_whole_within", "A token")),
        ({"output": [999_999]}, ("no_such_token", 999999)),
        ({"text": 3}, ("not_a_text", "text")),
    ],
)
def test_a_view_without_a_program_gives_the_reason(
    context: AppContext, change: dict[str, object], refusal: Refusal
) -> None:
    request = {"checkpoint": "spa-eng-gru", "text": "hola", "output": [5, 3], **change}
    with refused(UnrolledError, *refusal):
        scoring_program(context, request)
    with refused(UnrolledError, "not_a_checkpoint_name"):
        scoring_program(context, None)
