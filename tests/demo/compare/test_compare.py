"""The Compare tab's handlers with real, small models; its wiring; and its endpoints over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.compare.form import build_form
from demo.compare.handlers import (
    on_checkpoint,
    on_compare,
    on_compare_checkpoints,
    on_compare_texts,
    on_example,
    on_open,
    on_swap,
)
from demo.compare.tab import build_compare_tab
from demo.compare.view.payload import pair_payload, strategies_payload
from demo.compare.work.rows import PairComparison, RowState, StrategyComparison
from demo.compare.work.running import NO_TIME, run_rows
from demo.widgets.strategy_picker.component import StrategyPicker, describe, forms, presets
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest, decoding_options
from demo.work.watch import Watch
from models.decoding.strategies import names
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry, UnknownCheckpointError
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.calls import last_answer, served
from tests.messages import says
from tests.refusals import passed_on, refused

ROOT = Path(__file__).parents[3]
SHORT = {"max_length": 6}
GREEDY, BEAM = {"strategy": "greedy", **SHORT}, {"strategy": "beam", **SHORT}
EXHAUSTIVE = {"strategy": "exhaustive", "max_length": 100}


def compared(context: AppContext, *values: Any) -> StrategyComparison:
    *_, last = on_compare(context, *values)
    return last


def paired(steps: Iterator[PairComparison]) -> dict[str, Any]:
    *_, last = steps
    return pair_payload(last)


def test_rows_arrive_one_by_one_with_slow_ones_last(context: AppContext) -> None:
    rows = [{"strategy": "exact", "node_budget": 200, **SHORT}, GREEDY, BEAM]
    observed = [
        [row.state for row in comparison.rows]
        for comparison in on_compare(context, LETTERS, "hola", "", rows)
    ]
    assert observed[0] == [RowState.WAITING] * 3
    assert observed[-1] == [RowState.DONE] * 3
    done = [states.index(RowState.DONE) for states in observed if states.count(RowState.DONE) == 1]
    assert set(done) == {1}


def test_a_failed_row_has_a_reason_and_the_others_continue(context: AppContext) -> None:
    payload = strategies_payload(compared(context, LETTERS, "hola", "", [EXHAUSTIVE, GREEDY]))
    failed, row = payload["rows"]
    assert (failed["state"], failed["text"], failed["logProb"]) == ("failed", None, None)
    assert "Lower the maximum length" in failed["problem"]
    assert row["state"] == "done"


@pytest.mark.slow
def test_the_two_preselected_checkpoints_read_the_same_language() -> None:
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    with gr.Blocks(analytics_enabled=False):
        form = build_form(context)
    one, other = (context.config(box.value) for box in (form.checkpoint, form.other_checkpoint))
    assert form.checkpoint.value != form.other_checkpoint.value
    assert (one.task, one.source_language) == (other.task, other.source_language)


def test_every_preset_runs(context: AppContext) -> None:
    rows = [{**preset, **SHORT} for preset in presets()]
    comparison = compared(context, LETTERS, "hola", "", rows)
    assert [row.problem for row in comparison.rows] == [""] * len(rows)
    assert comparison.finished


def test_a_rows_numbers_are_those_of_its_decoding(context: AppContext) -> None:
    row = strategies_payload(compared(context, LETTERS, "hola", "", [BEAM]))["rows"][0]
    trace = on_open(context, row["request"])
    best = trace.hypotheses[0]
    assert row["logProb"] == pytest.approx(best.log_prob, abs=1e-5)
    assert (row["ids"], row["length"]) == (list(best.token_ids), len(best.token_ids))
    assert row["expanded"] == trace.exploration.expanded  # type: ignore[union-attr]


def test_without_a_reference_nothing_is_scored_against_one(context: AppContext) -> None:
    payload = strategies_payload(compared(context, LETTERS, "hola", "  ", [GREEDY]))
    assert (payload["reference"], payload["verdict"], payload["signatures"]) == (None, None, [])
    assert (payload["rows"][0]["bleu"], payload["rows"][0]["chrf"]) == (None, None)


def test_a_references_score_equals_that_of_decoding_the_same_text(context: AppContext) -> None:
    first = compared(context, LETTERS, "hola", "", [BEAM])
    outcome = first.rows[0].outcome
    assert outcome is not None
    payload = strategies_payload(compared(context, LETTERS, "hola", "amigo", [BEAM]))
    assert all("|" in signature for signature in payload["signatures"])
    verdict = payload["verdict"]
    assert [token["text"] for token in verdict["tokens"]] == [*"amigo", "</s>"]
    # Teacher forcing gives the log-probability that a decoding forced along the same tokens records.
    ids = context.tokenizer(LETTERS).encode("amigo").ids
    forced = context.decode(
        DecodeRequest(LETTERS, "hola", decoding_options({"strategy": "greedy", "max_length": len(ids)}), ids)
    )
    total = sum(token["logProb"] for token in verdict["tokens"])
    assert total == pytest.approx(forced.hypotheses[0].log_prob, abs=1e-3)
    assert payload["summary"][-1].startswith("The reference is")


def test_unknown_pieces_of_a_reference_are_marked(context: AppContext) -> None:
    payload = strategies_payload(compared(context, LETTERS, "hola", "🙂", [GREEDY]))
    assert [token["unknown"] for token in payload["verdict"]["tokens"]] == [True, False]
    assert "The vocabulary lacks “🙂”" in payload["verdict"]["sentence"]


def test_every_pair_of_texts_has_its_differences(context: AppContext) -> None:
    rows = [GREEDY, *({"strategy": "sampling", "seed": seed, **SHORT} for seed in range(4))]
    payload = strategies_payload(compared(context, LETTERS, "hola", "amigo", rows))
    count = len(payload["texts"])
    assert count > 2
    assert set(payload["diffs"]) == {f"{a},{b}" for a in range(count) for b in range(count) if a != b}
    assert payload["texts"][payload["reference"]["text"]] == "amigo"


def test_the_payload_is_strict_json(context: AppContext) -> None:
    payload = strategies_payload(compared(context, LETTERS, "hola", "amigo", [GREEDY, EXHAUSTIVE]))
    assert json.loads(json.dumps(payload, allow_nan=False)) == json.loads(json.dumps(payload))


class WatchRecorder(AppContext):
    """A context that records the watch of every decoding."""

    watches: tuple[Watch, ...] = ()

    def decode(
        self, request: DecodeRequest, watch: Watch | None = None, *, also_others: bool = True
    ) -> DecodingTrace:
        assert watch is not None
        self.watches += (watch,)
        return super().decode(request, watch, also_others=also_others)


def test_closing_stops_the_row_that_runs_and_starts_no_other(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demo.compare.work.running.REPORT_SECONDS", 1e-4)
    context = WatchRecorder(Registry(root), "cpu")
    many = decoding_options({"strategy": "sampling", "num_samples": 100})
    runs = run_rows(context, [DecodeRequest(LETTERS, "hola", many)] * 3)
    while next(runs).rows[0].state is not RowState.RUNNING:
        pass
    runs.close()
    assert [watch.cancelled.is_set() for watch in context.watches] == [True]


def test_rows_without_time_left_are_reported(context: AppContext) -> None:
    rows = [DecodeRequest(LETTERS, "hola", decoding_options(GREEDY))] * 2
    *_, last = run_rows(context, rows, total_seconds=0)
    assert [row.problem for row in last.rows] == [NO_TIME] * 2


def test_two_checkpoints_of_different_kinds_are_compared(context: AppContext) -> None:
    payload = paired(on_compare_checkpoints(context, LETTERS, WORDS, "hola amigo", BEAM))
    assert [side["title"] for side in payload["sides"]] == [LETTERS, WORDS]
    for side in payload["sides"]:
        attention = side["attention"]
        assert len(attention["weights"]) == len(attention["output"])
        assert all(sum(row) == pytest.approx(1, abs=0.01) for row in attention["weights"])


def test_a_checkpoint_beside_itself_writes_the_same(context: AppContext) -> None:
    payload = paired(on_compare_checkpoints(context, LETTERS, LETTERS, "hola", [BEAM]))
    one, other = payload["sides"]
    assert one["text"] == other["text"]
    assert one["title"] != other["title"]
    assert payload["summary"] == ["Both outputs are the same."]
    assert all(word["difference"] == 0 for word in payload["words"])


def test_a_checkpoint_that_cannot_be_read_leaves_the_other_side(context: AppContext, root: Path) -> None:
    (root / WORDS / "model.safetensors").write_bytes(b"nothing")
    payload = paired(on_compare_checkpoints(context, LETTERS, WORDS, "hola", BEAM))
    assert [side["state"] for side in payload["sides"]] == ["done", "failed"]
    assert "model.safetensors" in payload["sides"][1]["problem"]


def test_a_minimal_pair_shows_what_differs(context: AppContext) -> None:
    payload = paired(on_compare_texts(context, LETTERS, "hola amigo", "hola amiga", BEAM))
    assert payload["sides"][1]["sourceParts"] == [
        ("same", "hola"),
        ("removed", " amigo"),
        ("added", " amiga"),
    ]
    assert payload["finished"]


@pytest.mark.parametrize("row", [None, "beam", {}, {"checkpoint": LETTERS, "text": "hola", "settings": 3}])
def test_an_invalid_row_is_not_opened(context: AppContext, row: object) -> None:
    with pytest.raises(RequestError):
        on_open(context, row)


def test_examples_belong_to_a_checkpoint(context: AppContext) -> None:
    text, reference, other, picture, other_picture, *examples = on_checkpoint(context, LETTERS, None, "")
    assert text
    assert text != other
    assert on_example(context, 0, LETTERS) == (text, reference, other)
    with refused(RequestError, "no_such_example"):
        on_example(context, 99, LETTERS)
    with pytest.raises(UnknownCheckpointError):
        on_checkpoint(context, "nowhere", LETTERS, "")
    assert (picture, other_picture) == (None, None)
    assert examples[0].value == text


def test_checkpoints_swap_and_the_texts_stay(context: AppContext) -> None:
    one, other, *examples, filled = on_swap(context, LETTERS, WORDS)
    assert (one, other, filled) == (WORDS, LETTERS, WORDS)
    assert examples[0].value == on_checkpoint(context, WORDS, None, "")[0]
    assert on_swap(context, LETTERS, LETTERS)[-1] == gr.skip()  # no list changes
    with pytest.raises(UnknownCheckpointError):
        on_swap(context, LETTERS, "nowhere")


def test_chosen_settings_are_described_or_refused() -> None:
    beam = describe({"strategy": "beam", "beam_size": 3})
    assert (beam["name"], beam["details"]) == ("Beam 3", "3 hypotheses")
    assert "do not divide" in describe({"strategy": "diverse", "beam_size": 4, "num_groups": 3})["problem"]
    assert "must be an object" in describe("beam")["problem"]
    assert [form["strategy"] for form in forms()] == list(names())
    for form in forms():  # the initial values can be added at once
        values = {field["name"]: field["value"] for field in form["fields"]}
        assert "problem" not in describe({"strategy": form["strategy"], **values})


def test_the_picker_of_a_single_strategy_starts_with_one() -> None:
    assert len(StrategyPicker(many=False).value) == 1
    assert len(StrategyPicker().value) > 1


def test_an_error_in_a_stream_is_one_sentence(context: AppContext) -> None:
    steps = guard(on_compare, context)
    with passed_on(gr.Error, "no_strategy_to_compare"):
        next(steps(LETTERS, "hola", "", []))
    with passed_on(gr.Error, "no_such_checkpoint", "nowhere"):
        list(steps("nowhere", "hola", "", [GREEDY]))


@pytest.fixture(scope="module")
def url(shipped: Path) -> Iterator[str]:
    """The tab alone over two small checkpoints."""
    with gr.Blocks(analytics_enabled=False) as demo, gr.Tabs():
        build_compare_tab(AppContext(Registry(shipped), "cpu"), gr.BrowserState())
    with served(demo, ssr_mode=False, show_error=False) as url:
        yield url


@pytest.mark.slow
def test_endpoints_of_the_page_answer_plain_json(url: str) -> None:
    (answer,) = last_answer(url, "compare", LETTERS, "hola", "amigo", [GREEDY, BEAM])
    assert [row["name"] for row in answer["rows"]] == ["Greedy", "Beam 4"]
    assert answer["finished"]
    (pair,) = last_answer(url, "compare_texts", LETTERS, TEXTS[0], TEXTS[1], BEAM)
    assert len(pair["sides"]) == 2
    (pair,) = last_answer(url, "compare_checkpoints", LETTERS, WORDS, TEXTS[0], BEAM)
    assert [side["state"] for side in pair["sides"]] == ["done", "done"]


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ((LETTERS, "", "", [GREEDY]), "no_text", {}),
        ((LETTERS, "hola", "", [{"strategy": "<b>"}]), "not_one_of", {"name": "'Strategy'"}),
        ((LETTERS, "hola", "", [GREEDY] * 40), "too_many_strategies", {"limit": 12}),
        (("leters", "hola", "", [GREEDY]), "no_such_checkpoint", {"name": "'leters'"}),
        ((LETTERS, "hola", "a" * 300, [GREEDY]), "reference_cannot_be_scored", {}),
    ],
)
def test_bad_input_is_refused_with_a_sentence(
    url: str, values: tuple[Any, ...], code: str, fields: dict[str, object]
) -> None:
    assert says(last_answer(url, "compare", *values)["error"], code, **fields)
