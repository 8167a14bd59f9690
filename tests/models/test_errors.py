"""Messages keep what they were made of: as errors, as parts of each other, in files and between processes."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from models.corpus.pairs import DataError
from models.errors import (
    Message,
    UnrolledError,
    brief,
    hint,
    message_of,
    not_one_of,
    reason_of,
    with_parts,
    without_parts,
)
from models.registry.card import CheckpointError, unreadable
from models.training.events import Notice, RunFailed, RunStopped, event_json, parse_event
from models.training.runs.request import LOST, STOPPED, RunState, RunStatus, out_of_time

INNER = Message("animal", "a {kind} horse", kind="{white}")


def test_a_message_is_its_english_sentence_with_code_and_fields() -> None:
    message = Message("seen", "There is {what}, {count} times.", what=INNER, count=3)
    assert message == "There is a {white} horse, 3 times."
    assert (message.code, message.template) == ("seen", "There is {what}, {count} times.")
    assert dict(message.fields) == {"what": INNER, "count": 3}
    assert list(message.templates()) == [message.template, "a {kind} horse"]


def test_without_fields_braces_are_left_alone() -> None:
    assert Message("braces", "{name} {0} {") == "{name} {0} {"


def test_an_error_within_a_message_is_a_part_of_it() -> None:
    inner = DataError("empty", "{name} is empty", name="a.tsv")
    outer = DataError("damaged", "it is damaged ({reason})", reason=inner)
    assert str(outer) == "it is damaged (a.tsv is empty)"
    assert isinstance(outer.message, Message)
    part = outer.message.fields["reason"]
    assert isinstance(part, Message)
    assert part.code == "empty"


def test_fields_that_json_cannot_hold_become_text() -> None:
    message = Message("odd", "got {value}, {error}", value=(1, 2), error=KeyError("x"))
    assert message.fields == {"value": "(1, 2)", "error": "'x'"}
    assert json.loads(json.dumps(message.to_dict()))["fields"] == message.fields


def test_an_error_has_its_builtin_base_its_code_and_only_its_message() -> None:
    error = DataError("empty", "{name} is empty", name="a.tsv")
    assert isinstance(error, ValueError)
    assert isinstance(error, UnrolledError)
    assert (error.code, str(error), repr(error)) == ("empty", "a.tsv is empty", "DataError('a.tsv is empty')")
    assert DataError(error.message).code == "empty"
    assert (DataError("Ya dicho.").code, str(DataError("Ya dicho."))) == ("", "Ya dicho.")


@pytest.mark.parametrize(
    "error",
    [
        DataError("empty", "{name} is empty", name="a.tsv"),
        CheckpointError("tiny", "config.json", unreadable("no such file")),
        CheckpointError("tiny", "config.json", unreadable("no such file"), Message("again", "Try again.")),
    ],
)
def test_errors_and_messages_survive_pickling_and_copying(error: UnrolledError) -> None:
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(copied) is type(error)
        assert str(copied) == str(error)
        assert copied.message.to_dict() == error.message.to_dict()  # type: ignore[attr-defined]


def test_a_message_is_read_back_from_json() -> None:
    message = Message("seen", "There is {what}.", what=INNER)
    again = Message.from_dict(json.loads(json.dumps(message.to_dict())))
    assert again == message
    assert again.to_dict() == message.to_dict()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"code": "x", "template": "{a}", "fields": {"b": 1}},
        {"code": "x", "template": "{a}", "fields": [1]},
        {"code": "x", "template": "{}", "fields": {"a": 1}},
        {"code": "x", "template": 3, "fields": {"a": 1}},
        {"code": "x", "template": "{a.b}", "fields": {"a": 1}},
    ],
)
def test_invalid_data_of_a_message_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="message"):
        Message.from_dict(data)


def test_only_messages_are_stored_with_parts() -> None:
    stored = with_parts({"text": Message("seen", "There is {what}.", what="it"), "name": "x"})
    assert stored["text"] == "There is it."
    assert stored.keys() == {"text", "text_parts", "name"}
    read = without_parts(json.loads(json.dumps(stored)))
    assert read == {"text": "There is it.", "name": "x"}
    assert isinstance(read["text"], Message)
    assert not isinstance(read["name"], Message)


def test_a_status_keeps_the_parts_of_its_message() -> None:
    status = RunStatus(RunState.STOPPED, 3.5, message=out_of_time(7))
    text = status.to_json()
    assert (
        json.loads(text)["message"]
        == "The run has used the 7 min that this server allows. Everything is saved."
    )
    read = RunStatus.from_json(text)
    assert read == status
    assert isinstance(read.message, Message)
    assert read.message.fields == {"minutes": 7}


def test_the_status_of_an_older_program_is_read_as_plain_text() -> None:
    read = RunStatus.from_json('{"state": "stopped", "heartbeat": 1.0, "message": "Stopped as asked."}')
    assert (read.message, type(read.message)) == ("Stopped as asked.", str)


@pytest.mark.parametrize("event", [RunStopped(8, STOPPED), RunFailed(LOST), Notice(3, INNER), Notice(3, "x")])
def test_an_event_keeps_the_parts_of_its_message(event: RunStopped | RunFailed | Notice) -> None:
    text = event.text if isinstance(event, Notice) else event.reason
    again = parse_event(event_json(event))
    assert again == event
    message = again.text if isinstance(again, Notice) else again.reason  # type: ignore[union-attr]
    assert type(message) is type(text)


def test_a_long_value_is_shown_shortened() -> None:
    assert brief("abc") == "'abc'"
    assert len(brief("x" * 10**6)) <= 60
    assert len(brief([[0] * 1000] * 1000)) < 400
    assert not_one_of("kind", ("a", "b"), 3) == "kind must be one of a, b; got 3"


def test_a_hint_names_similar_names_or_all() -> None:
    assert hint("revers-gru", ("reverse-gru", "dates")) == "did you mean 'reverse-gru'?"
    assert hint("zzz", ("reverse-gru", "dates")) == "there are: reverse-gru, dates."
    assert hint("zzz", ()) == "there are: none."


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (lambda: json.loads("{"), "no JSON at line 1"),
        (lambda: json.loads("1" * 5_000), "something in it is missing, too long, or of the wrong type"),
        (lambda: json.loads("[" * 100_000), "lists and objects nested too deep"),
        (lambda: b"\xff".decode(), "it is not UTF-8"),
        (lambda: "\ud800".encode(), "it is not UTF-8"),
        (lambda: {}["steps"], "'steps' is missing"),
        (lambda: [].__getitem__("steps"), "something in it is missing, too long, or of the wrong type"),
        (lambda: Path("/nowhere").read_text(encoding="utf-8"), "No such file or directory"),
    ],
)
def test_errors_of_python_about_data_get_our_own_words(read: Callable[[], object], reason: str) -> None:
    with pytest.raises(Exception) as excinfo:  # noqa: PT011  # of any kind
        read()
    assert reason_of(excinfo.value) == reason


def test_a_foreign_error_becomes_a_message_with_its_text() -> None:
    assert message_of(ValueError("no")) == "no"
    assert message_of(DataError("empty", "it is empty")) == "it is empty"
