"""Runs, corrections and models that people saved with an earlier version work; see `__init__.py`."""

import json
import re
import shutil
import zipfile
from pathlib import Path

import gradio as gr
import pytest
import torch

from demo.page.interface import build_demo
from demo.training.form.data_card import DataCard
from demo.training.handlers import on_begin, on_load, on_preview, on_save
from demo.training.run_handlers import on_archive, on_open, on_poll, on_resume, on_visit
from demo.training.work.fields import FIELDS, MINUTES, fit_tokens, values_of
from demo.training.work.run_report import RunReports
from demo.work.requests.decode import DecodeRequest, decoding_options
from models.registry.checkpoint import load_checkpoint
from models.registry.registry import Registry
from models.training import __main__ as command
from models.training.events import event_json
from models.training.recipe.config import TrainingConfig
from models.training.runs.run_folder import RunState
from tests.compatibility.sameness import without_new

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
TOLERANCE = 1e-4
PADDING = "<pad>"
TOKEN = "0123456789abcdef" * 2  # the visitor's
NAMES = ("run", "stopped_run", "tuned_run")
RUNS = {name: json.loads((HERE / name / "run.json").read_text()) for name in NAMES}
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
OPTIONS = {"strategy": "greedy", "max_length": 5}


def lines(name):
    return [
        json.loads(line) for line in (HERE / name / "events.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def as_json(events):
    return [json.loads(event_json(event)) for event in events]


def of_kind(events, kind):
    return [event for event in events if event["event"] == kind]


def decoded(server, name, text):
    """Return the tokens and log-probabilities of the best hypothesis."""
    trace = server.decode(DecodeRequest(name, text, decoding_options(OPTIONS)))
    path = trace.path(trace.hypotheses[0].node)
    return {"tokens": [node.token for node in path], "log_probs": [node.log_prob for node in path]}


def check_decoded(actual, expected, forced=0):
    """`forced`: number of first tokens that every output has, which once had a cost and have none now."""
    if PADDING in expected["tokens"]:  # padding could be written once and is now forbidden
        assert PADDING not in actual["tokens"]
        return
    assert actual["tokens"] == expected["tokens"]
    log_probs = [*actual["log_probs"][:forced], *expected["log_probs"][forced:]]
    assert actual["log_probs"] == pytest.approx(log_probs, abs=TOLERANCE)
    assert actual["log_probs"][:forced] == [0.0] * forced


# Runs


def test_a_visitor_who_comes_back_finds_their_runs(server):
    newest_first = [RUNS[name]["id"] for name in ("tuned_run", "stopped_run", "run")]
    assert [run.id for run in server.training.runs.of(TOKEN)] == newest_first
    assert server.training.runs.of("f" * 32) == ()
    token, picker, *_ = on_visit(server, "", TOKEN)
    assert token == TOKEN
    assert picker["value"] == newest_first[0]
    assert [name for _, name in picker["choices"]] == newest_first
    assert [label for label, _ in picker["choices"]] == EXPECTED["labels"]


def test_a_runs_link_opens_the_run_in_any_browser(server):
    *_, tabs = on_visit(server, RUNS["run"]["id"], "f" * 32)
    assert tabs.selected == "training"


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_reported_with_all_its_events(name, server):
    expected = EXPECTED["runs"][name]
    report, timer, compare, *_ = on_poll(
        server, RunReports(server.training.runs), TOKEN, RUNS[name]["id"], []
    )
    assert not timer.active
    assert compare.visible is expected["tuned"]
    assert (report.title, report.state.value, report.message) == (
        RUNS[name]["title"],
        expected["state"],
        expected["message"],
    )
    # Optimizers now have their name in the form, and runs their title, since their name is a secret.
    facts = [
        re.sub(r"-[0-9a-f]{8}([0-9a-f]{4})$", r" · \1", fact.replace("adamw", "AdamW"))
        for fact in expected["facts"]
    ]
    assert (list(report.facts), report.score) == (facts, expected["score"])
    assert as_json(report.events) == lines(name)
    request = server.training.runs.find(report.id).request.to_dict()
    assert without_new(request, RUNS[name]) == RUNS[name]


@pytest.mark.parametrize("name", RUNS)
def test_the_checkpoint_of_a_run_decodes(name, server):
    expected = EXPECTED["runs"][name]
    run_id = RUNS[name]["id"]
    picker, tabs = on_open(server, TOKEN, run_id)
    assert (picker["value"], tabs.selected) == (run_id, "decode")
    check_decoded(decoded(server, run_id, expected["text"]), expected["decoded"])
    example = json.loads((HERE / name / "best" / "example.json").read_text(encoding="utf-8"))
    assert json.loads(server.registry.example(run_id).to_json()) == {**example, "checkpoint": run_id}
    card = server.registry.card(run_id)
    assert {metric.name: metric.value for metric in card.metrics} == pytest.approx(expected["metrics"])


@pytest.mark.parametrize("name", ["stopped_run", "tuned_run"])
def test_a_stopped_run_resumes_to_its_end(name, server):
    run = server.training.runs.find(RUNS[name]["id"])
    assert run.state() is RunState.STOPPED
    before = lines(name)
    done, total = of_kind(before, "RunStopped")[0]["step"], before[0]["total_steps"]
    on_resume(server, run.id)
    assert run.state() is RunState.FINISHED, run.sentence()
    after = as_json(run.events()[0])
    assert after[: len(before)] == before
    (started,) = of_kind(after[len(before) :], "RunStarted")
    assert (started["resumed_at"], started["total_steps"]) == (done, total)
    steps = of_kind(after, "StepCompleted")
    assert [event["step"] for event in steps] == list(range(1, total + 1))
    # Rounding differs between machines and adds up over the steps.
    losses = [event["loss"] for event in steps[done:]]
    assert losses == pytest.approx(EXPECTED["runs"][name]["losses"], abs=10 * TOLERANCE)
    assert load_checkpoint(run.last, torch.device("cpu")).config.task == RUNS[name]["config"]["data"]["task"]


def test_a_checkpoint_in_the_folder_of_checkpoints_is_listed_and_loads(tmp_path):
    shutil.copytree(HERE / "run" / "best", tmp_path / "mine")
    registry = Registry(tmp_path)
    assert registry.names() == ("mine",)
    assert registry.card("mine").task == EXPECTED["task"]
    assert registry.load("mine", torch.device("cpu")).model.num_parameters() == lines("run")[0]["parameters"]


def test_the_program_in_a_downloaded_checkpoint_runs(tmp_path, monkeypatch, server):
    """The program of a saved archive still runs, whatever names it uses."""
    with zipfile.ZipFile(HERE / "archive.zip") as archive:
        archive.extractall(tmp_path)
    (instructions,) = tmp_path.glob("*/HOW-TO-USE.txt")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(instructions.read_text(encoding="utf-8").split("\n", 1)[1], names)
    assert names["checkpoint"].config.task == "reversal"
    archives = on_archive(server, RunReports(server.training.runs), RUNS["run"]["id"])
    with zipfile.ZipFile(HERE / "archive.zip") as before, zipfile.ZipFile(next(archives)) as after:
        assert set(before.namelist()) <= set(after.namelist())


def test_an_older_run_can_be_fine_tuned(server):
    start = RUNS["run"]["id"]
    changes = {
        "title": "More",
        "start": start,
        "reversal.longest": 4,
        "reversal.alphabet": 4,
        "data.train_size": 60,
    }
    changes |= {"data.valid_size": 10, "epochs": 1, "batch_tokens": 150, "evaluate_every": 10}
    picker, *_ = on_begin(server, DATA_NAMES, TOKEN, *form(**changes))
    run = server.training.runs.find(picker["value"])
    assert run.state() is RunState.FINISHED, run.sentence()
    assert run.request.start == start
    assert (
        load_checkpoint(run.best, torch.device("cpu")).tokenizer.vocab_size == lines("run")[0]["vocab_size"]
    )


def test_a_visitors_key_keeps_its_name_in_the_browsers_storage(untouched):
    (visitor,) = (
        block for block in build_demo(untouched).blocks.values() if isinstance(block, gr.BrowserState)
    )
    assert (visitor.storage_key, visitor.secret) == ("unrolled-visitor", "unrolled")


# Corrections


def test_older_corrections_are_read_and_extended(server):
    correction_set = server.training.corrections(TOKEN)
    (file,) = (HERE / "corrections").rglob("*.jsonl")
    before = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [vars(correction) for correction in correction_set.all()] == before
    assert dict(correction_set.pairs("spa-eng-gru")) == {"Me gusta la música.": "I love music."}
    added = correction_set.add("hola", "hello", "hallo", "spa-eng-gru")
    again = server.training.corrections(TOKEN)
    assert [vars(correction) for correction in again.all()] == [*before, vars(added)]
    again.remove(before[0]["id"])
    ids = [*(correction["id"] for correction in before[1:]), added.id]
    assert [correction.id for correction in correction_set.all()] == ids


def test_the_form_previews_older_corrections(server):
    preview, *_ = on_preview(server, DATA_NAMES, TOKEN, *form(kind="corrections", start="spa-eng-gru"))
    assert preview.statistics.pairs == EXPECTED["corrected_pairs"]


# Recipes


with gr.Blocks():
    INPUTS = DataCard().inputs
DATA_NAMES = tuple(INPUTS)


def form(title="", start="", **changes):
    """Return the values of the Training tab's form: name, start, data and fields, in the page's order."""
    fields = {field.path: None for field in FIELDS} | dict(values_of(fit_tokens(MINUTES, "reversal")))
    data = {name: getattr(widget, "value", None) for name, widget in INPUTS.items()}
    for name, value in changes.items():
        (data if name in data else fields)[name] = value
    return [title, start, *data.values(), *fields.values()]


@pytest.mark.parametrize("name", ["recurrent", "transformer"])
def test_a_recipe_fills_in_the_form_and_is_saved_unchanged(name, server):
    path = HERE / "recipes" / f"{name}.json"
    *updates, problem = on_load(server, DATA_NAMES, path)
    assert problem == ""
    values = [
        update if not isinstance(update, dict) else update.get("value", value)
        for value, update in zip(form(), updates, strict=True)
    ]
    before, (after, _) = path.read_text(encoding="utf-8"), on_save(server, DATA_NAMES, *values)
    recipe = without_new(json.loads(after), json.loads(before))
    assert json.dumps(recipe, indent=2, ensure_ascii=False) + "\n" == before
    assert json.dumps(json.loads(after), indent=2, ensure_ascii=False) + "\n" == after


@pytest.mark.parametrize(
    "recipe", ["recipes/recurrent", "recipes/transformer", *(f"{name}/recipe" for name in RUNS)]
)
def test_a_recipe_is_read_and_written_unchanged(recipe):
    path = HERE / f"{recipe}.json"
    before = json.loads(path.read_text(encoding="utf-8"))
    assert without_new(TrainingConfig.load(path).to_dict(), before) == before


def test_a_recipe_trains_on_the_command_line(tmp_path, monkeypatch, capsys):
    words = [
        "--config",
        str(HERE / "recipes" / "recurrent.json"),
        "--output",
        str(tmp_path),
        "--device",
        "cpu",
    ]
    monkeypatch.setattr("sys.argv", ["train", *words])
    assert command.main() == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["loss"] for event in of_kind(events, "EvaluationCompleted")] == pytest.approx(
        EXPECTED["recipe_losses"], abs=10 * TOLERANCE
    )
    assert load_checkpoint(tmp_path / "best", torch.device("cpu")).config.network["cell"] == "lstm"


# Models of the Hub


def test_stored_models_of_the_hub_are_found(server):
    assert server.hub.names() == ("someone/theirs", "someone/tiny")
    for name in server.hub.names():
        source = json.loads((HERE / "hub" / name / "source.json").read_text(encoding="utf-8"))
        now = vars(server.hub.store.source(name))
        assert {field: now[field] for field in source} == source
        assert server.hub.store.add(name) == name  # makes no request, since nothing has to be fetched
    server.hub.store.remove("someone/tiny")
    assert server.hub.names() == ("someone/theirs",)


@pytest.mark.parametrize("name", EXPECTED["hub"])
def test_models_of_the_hub_decode_as_before(name, server):
    expected = EXPECTED["hub"][name]
    config = server.config(name)
    forced = bool(config.network.get("variants", {}).get("targets"))  # the token of the language
    check_decoded(decoded(server, name, expected["text"]), expected["decoded"], forced)
    assert [config.source_language, config.target_language] == expected["languages"]
