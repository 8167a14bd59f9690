"""Requests made from forms: names, the network of a start, malformed rows, the command line."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.training.work.fields import FIELDS, MINUTES, fit_tokens, values_of
from demo.training.work.order import TrainingOrder, command, default_title, slug
from demo.training.work.source import DataSource, Prepared
from demo.work.requests.checks import RequestError
from models.corpus.files.table import Malformed
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.training.__main__ import main
from models.training.recipe.config import TrainingConfig
from models.training.runs.request import RUN_ID, is_token, new_token
from tests.fakes.training.form import OPENING
from tests.refusals import NO_SHORT_TEXT, refused

FORM: dict[str, Any] = {field.path: None for field in FIELDS} | dict(
    values_of(fit_tokens(MINUTES, "reversal"))
)
PREPARED = Prepared((("a", "b"),), (("c", "d"),), "2 pairs")


def order(title: object = "My run", start: object = "", **changes: Any) -> TrainingOrder:
    return TrainingOrder.parse(title, start, OPENING | changes, FORM)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("My run", "my-run"),
        ("  ../../etc/passwd", "etc-passwd"),
        ("Überträge, 10 %!", "bertr-ge-10"),
        ("<b>'\";$(rm -rf)`", "b-rm-rf"),
        ("---", "run"),
        ("مرحبا", "run"),
        ("x" * 39 + " y", "x" * 39),
    ],
)
def test_a_name_for_files_has_letters_digits_and_hyphens(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.parametrize("title", [None, 3, ["x"], {}, "x" * 61, "\ud83d"], ids=repr)
def test_a_title_must_be_a_short_text(title: object) -> None:
    with refused(RequestError, NO_SHORT_TEXT, "name"):
        order(title)


@pytest.mark.parametrize("start", [3, ["letters"], {"a": 1}, "x" * 101, "\udc00"], ids=repr)
def test_a_start_must_be_a_short_text(start: object) -> None:
    with refused(RequestError, NO_SHORT_TEXT, "checkpoint to start from"):
        order(start=start)


def test_a_run_without_a_name_is_named_after_its_data() -> None:
    assert order("  ").title == "reversal"
    assert order("", kind="paste").title == "pairs"
    assert default_title(DataSource("corrections"), "spa-eng-gru") == "spa-eng-gru on corrections"


def test_the_network_is_that_of_the_start_and_the_dropout_that_of_the_form() -> None:
    network = TransformerConfig(
        d_model=16, num_heads=2, d_ff=32, num_layers=1, num_decoder_layers=1, dropout=0.7
    )
    tuned = order(start="m").tuning(network)
    assert tuned.config.network == replace(network, dropout=order().config.network.dropout)
    assert tuned.config.start == "m"
    assert order().config.start == ""


def test_malformed_rows_are_skipped_only_with_consent() -> None:
    torn = replace(PREPARED, malformed=(Malformed(7, "one column", "x"),), malformed_count=1200)
    with refused(RequestError, "rows_malformed", "1,200", 7, "one column"):
        order(kind="paste").request(new_token(), "cpu", None, torn)
    agreed = order(kind="paste", skip_malformed=True).request(new_token(), "cpu", None, torn)
    assert agreed.data == "2 pairs"


def test_a_request_names_title_and_start_and_not_the_token(tmp_path: Path) -> None:
    token = new_token()
    request = order("Ein <b>Lauf</b>", "m").request(token, "cpu", tmp_path, PREPARED)
    assert RUN_ID.fullmatch(request.id)
    assert (request.title, request.start, request.start_folder) == ("Ein <b>Lauf</b>", "m", str(tmp_path))
    assert token not in str(request.to_dict())
    assert is_token(token)


def test_generated_pairs_need_no_files() -> None:
    assert order().files(PREPARED) == {}
    assert order(kind="paste").files(PREPARED) == {
        "train.tsv": "source\ttarget\na\tb\n",
        "valid.tsv": "source\ttarget\nc\td\n",
    }
    assert order(kind="paste").config.data.train == "train.tsv"


@pytest.mark.slow
def test_the_shown_command_trains_the_same_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line accepts the command that the page shows, even with an odd folder name."""
    monkeypatch.chdir(tmp_path)
    config = order("quick").config
    small = RecurrentConfig(d_embed=8, d_model=8, d_attention=8, dropout=0.0)
    data = replace(config.data, train_size=100, valid_size=10, options={"longest": 3})
    config = replace(config, network=small, data=data, epochs=1, batch_tokens=200, decode_valid=0)
    words = shlex.split(command(config, None))
    assert words[:3] == ["python", "-m", "models.training"]
    config.save(tmp_path / "quick.json")
    monkeypatch.setattr("sys.argv", [*words[2:], "--device", "cpu"])
    assert main() == 0
    assert TrainingConfig.load(tmp_path / "runs" / "quick" / "recipe.json").network == small
    odd = Path("/secret/place/it's a; folder/best")
    tuned = shlex.split(command(order("t", "m", kind="paste").config, odd))
    assert tuned[-4:] == ["--data", "DATA", "--start", "it's a; folder/best"]
