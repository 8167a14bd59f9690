"""Each kind of work with the largest request that it takes, and with one a step larger, which it refuses."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from demo.api.evaluate import evaluate_arguments, on_evaluate
from demo.api.explain import on_attribute
from demo.checkpoints.tab import on_open
from demo.compare.work.from_request import compare_strategies
from demo.evaluate.work.request import (
    MAX_PAIRS,
    MAX_SEGMENTS,
    EvaluateRequest,
    RequestedSystem,
    checked_segments,
)
from demo.evaluate.work.run import evaluate
from demo.learn.lab_answers import LiveTraining, Subject
from demo.training.push.card import push_order
from demo.training.work.data_previews import DataPreviews
from demo.training.work.fields import MINUTES, fit_tokens, values_of
from demo.training.work.order import TrainingOrder
from demo.training.work.source import DataSource, read_source
from demo.work.context import AppContext
from demo.work.hub import Hub
from demo.work.operator import caps
from demo.work.operator.caps import (
    MAX_BEAM_SIZE,
    MAX_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_OUTPUT_TOKENS,
    MAX_PASTED_CHARACTERS,
    MAX_SAMPLES,
    MAX_TITLE_CHARACTERS,
    MAX_UPLOAD_BYTES,
)
from demo.work.requests.compare import MAX_ROWS, comparison_request
from demo.work.requests.decode import DecodeRequest, decoding_options
from demo.work.turns import Turns
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions
from models.errors import UnrolledError
from models.evaluation.segments import segments_of_pairs
from models.hub.listing.repository import MAX_REPO_ID_CHARACTERS, check_repo_id
from models.hub.settings import HubSettings
from models.training.runs.request import RunState, new_token
from tests.demo.conftest import LETTERS
from tests.fakes.training.form import OPENING, training_context
from tests.fakes.training.paused_training import PausedTraining
from tests.fakes.training.processes import request
from tests.refusals import refused

pytestmark = pytest.mark.slow

ME = new_token()


@dataclass(frozen=True)
class Server:
    """The server under test, and its folders."""

    context: AppContext
    root: Path  # the folder of checkpoints
    folder: Path  # for files


@dataclass(frozen=True)
class Case:
    """A bound on a kind of work."""

    work: caps.WorkKind
    bound: str
    ask: Callable[[Server, int], object]  # makes a request so much above the bound
    code: str  # the code of the refusal


def decode(server: Server, more: int) -> None:
    text = "a" * (MAX_CHARACTERS + more)
    options = decoding_options({"beam_size": MAX_BEAM_SIZE, "max_length": MAX_OUTPUT_TOKENS})
    server.context.decode(DecodeRequest(LETTERS, text, options))


def search(strategy: str, setting: str, most: int, server: Server, more: int) -> None:
    options = decoding_options({"strategy": strategy, setting: most + more})
    server.context.decode(DecodeRequest(LETTERS, "hola", options))


def compare(server: Server, more: int) -> None:
    rows = [{"strategy": "greedy", "max_length": 1 + row} for row in range(MAX_ROWS + more)]
    rows_request = comparison_request(LETTERS, "hola", "", rows)
    assert list(compare_strategies(server.context, rows_request))[-1].finished


def attribute(server: Server, more: int) -> None:
    text = "hola " * (MAX_CHARACTERS // 5) + "a" * more
    assert on_attribute(server.context, LETTERS, text, "hola", 1, "a")


def evaluate_pairs(server: Server, more: int) -> None:
    texts = [f"hola {number}" for number in range(MAX_PAIRS + more)]
    short_output = {"strategy": "greedy", "max_length": 3}
    _, _, _, *others = evaluate_arguments()
    values = [short_output.get(other.name, other.default) for other in others]
    assert on_evaluate(server.context, LETTERS, texts, texts, *values)["segments"] == MAX_PAIRS


def evaluate_segments(server: Server, more: int) -> None:
    pairs = [(f"hola {number}", "aloh") for number in range(MAX_SEGMENTS + more)]
    segments = checked_segments(segments_of_pairs(pairs))
    system = RequestedSystem(LETTERS, LETTERS, DecodingOptions("greedy", max_length=2))
    watch = Watch(seconds=caps.EVALUATION.seconds)
    evaluate(server.context, EvaluateRequest((system,), segments), watch)


def train_in_labs(server: Server, more: int) -> None:
    training, paused = LiveTraining(Turns(1)), PausedTraining()
    sessions = [str(number) for number in range(caps.LAB.running + caps.LAB.waiting + more)]
    try:
        for session in sessions:
            training.begin(Subject(session, "held", 1.0), partial(paused.run, 1.0))  # type: ignore[arg-type]
    finally:
        for session in sessions:
            training.stop(session)
        paused.let(len(sessions))


def order(title: str = "", **data: object) -> TrainingOrder:
    fields = dict(values_of(fit_tokens(MINUTES, "reversal")))
    return TrainingOrder.parse(title, "", {**OPENING, **data}, fields)


def look_at_pasted_text(server: Server, more: int) -> None:
    two = "hola\taloh\namigo\togima\n"
    text = (two * MAX_PASTED_CHARACTERS)[: MAX_PASTED_CHARACTERS + more]
    server.context.one_for_all(DataPreviews).preview(
        server.context.turns, order(kind="paste", text=text), None, None
    )


def read_file(server: Server, more: int) -> None:
    line = b"a" * 499 + b"\t" + b"b" * 499 + b"\n"
    lines, over = divmod(MAX_UPLOAD_BYTES, len(line))
    path = server.folder / "pairs.tsv"
    path.write_bytes(line * lines + b"\n" * (over + more))
    read_source(DataSource("file", paths=(str(path),)))


def begin_run(server: Server, more: int) -> None:
    assert order("r" * (MAX_TITLE_CHARACTERS + more)).title


def name_model(server: Server, more: int) -> None:
    check_repo_id("ann/" + "m" * (MAX_REPO_ID_CHARACTERS - 4 + more))


def push(server: Server, more: int) -> None:
    context = training_context(server.root, server.folder / "runs")
    context.hub = Hub(HubSettings(root=server.folder / "hub"))
    assert context.training is not None
    run = context.training.runs.create(request(token=ME))
    shutil.copytree(server.root / LETTERS, run.folder / "best")
    run.write_status(replace(run.status(), state=RunState.FINISHED))
    name = "ann/" + "m" * (MAX_REPO_ID_CHARACTERS - 4 + more)
    push_order(context, None, ME, run.id, name, True, "hf_secret")


def open_checkpoint(server: Server, more: int) -> None:
    name = "x" * (MAX_NAME_CHARACTERS + more)
    shutil.copytree(server.root / LETTERS, server.root / name)
    on_open(server.context, ME, {"name": name})


NOT_WITHIN = "not_whole_within"
CASES = (
    Case(caps.DECODING, "characters", decode, "too_many_characters"),
    Case(caps.DECODING, "beam", partial(search, "beam", "beam_size", MAX_BEAM_SIZE), NOT_WITHIN),
    Case(caps.DECODING, "samples", partial(search, "mbr", "num_samples", MAX_SAMPLES), NOT_WITHIN),
    Case(caps.DECODING, "length", partial(search, "greedy", "max_length", MAX_OUTPUT_TOKENS), NOT_WITHIN),
    Case(caps.DECODING, "attribution", attribute, "too_many_characters"),
    Case(caps.DECODING, "rows", compare, "too_many_strategies"),
    Case(caps.DECODING, "pairs", evaluate_pairs, "pair_count_out_of_range"),
    Case(caps.EVALUATION, "segments", evaluate_segments, "too_many_segments"),
    Case(caps.LAB, "in line", train_in_labs, "waiting_line_full"),
    Case(caps.DATA, "pasted characters", look_at_pasted_text, "too_many_characters"),
    Case(caps.READING, "bytes", read_file, "file_too_large"),
    Case(caps.RUNS, "title", begin_run, "too_many_characters"),
    Case(caps.HUB, "name", name_model, "no_model_name"),
    Case(caps.PUSH, "name", push, "no_model_name"),
    Case(caps.OPENING, "name", open_checkpoint, "checkpoint_name_too_long"),
)
LONG = (evaluate_segments,)  # takes seconds


def name_of(case: Case) -> str:
    return f"{case.work.name}, {case.bound}"


@pytest.fixture
def server(context: AppContext, root: Path, tmp_path: Path) -> Server:
    return Server(context, root, tmp_path)


def test_every_kind_of_work_has_a_case() -> None:
    assert {case.work for case in CASES} == {*caps.WORK}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name_of(case), marks=[pytest.mark.full] * (case.ask in LONG)) for case in CASES],
)
def test_the_largest_request_is_done(case: Case, server: Server) -> None:
    case.ask(server, 0)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_request_one_step_larger_is_refused(case: Case, server: Server) -> None:
    with refused(UnrolledError, case.code):
        case.ask(server, 1)
