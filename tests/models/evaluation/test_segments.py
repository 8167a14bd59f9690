"""Test sets from tables: the roles of columns, and refusals."""

from __future__ import annotations

import json

import pytest

from models.corpus.files.columns import NO_HINTS, Hints, columns_of
from models.corpus.files.formats import read_pasted, read_table
from models.corpus.pairs import DataError
from models.evaluation.segments import MAX_SYSTEMS, Segments, segments_of_pairs, segments_of_table
from tests.refusals import Refusal, refused


def tsv(text: str, hints: Hints = NO_HINTS) -> Segments:
    table = read_table(text.encode(), "set.tsv")
    return segments_of_table(table, columns_of(table, hints))


def test_columns_are_recognised_by_their_names() -> None:
    result = tsv(
        "id\tComet_22\treference\tsource\tmy system\n1\t0,5\tone\tuno\tan one\n2\t-1e-2\ttwo\tdos\ttwo\n"
    )
    assert result.sources == ["uno", "dos"]
    assert result.references == [("one",), ("two",)]
    assert result.outputs == {"my system": ("an one", "two")}
    assert result.scores == {"Comet_22": (0.5, -0.01)}  # the numbers of rows are no scores
    assert [segment.line for segment in result.all] == [2, 3]


def test_columns_without_names_are_recognised_by_position_and_content() -> None:
    result = tsv("uno\tone\tan one\t0.5\ndos\ttwo\ttwo\t1\n")
    assert (result.sources, result.references) == (["uno", "dos"], [("one",), ("two",)])
    assert list(result.outputs.values()) == [("an one", "two")]
    assert list(result.scores.values()) == [(0.5, 1.0)]
    assert tsv("one\tuno\ntwo\tdos\n", Hints(swap=True)).sources == ["uno", "dos"]


def test_references_of_one_source_form_one_segment() -> None:
    several = tsv("source\treference_1\treference_2\nuno\tone\ta one\nuno\tan one\t\ndos\ttwo\ttwo\n")
    assert several.references == [("one", "a one", "an one"), ("two",)]
    assert segments_of_pairs(
        [("uno", "one"), ("dos", "two"), ("uno", "an one"), ("uno", "one")]
    ).references == [("one", "an one"), ("two",)]
    other_output = tsv("source\treference\tours\nuno\tone\ta\nuno\tone\tb\n")
    assert other_output.outputs == {"ours": ("a", "b")}  # two outputs are two segments


def test_the_first_outputs_of_a_log_of_fairseq_are_a_system() -> None:
    result = tsv(
        "S-1\tdos\nT-1\ttwo\nH-1\t-0.25\tthe two\nP-1\t-0.1 -0.2\nH-1\t-0.5\ttwin\nP-1\t-0.1 -0.3\n"
        "S-0\tuno\nT-0\tone\nH-0\t-1.5\ta @-@ one\nD-0\t-1.5\ta-one\nP-0\t-0.1 -0.2\n"
        "Generate test with beam=2: BLEU4 = 0.00\n"
    )
    assert (result.sources, result.references) == (["dos", "uno"], [("two",), ("one",)])
    assert result.outputs == {"output": ("the two", "a-one")}  # detokenized where the log has that
    assert result.scores == {"score": (-0.25, -1.5)}
    assert [segment.line for segment in result.all] == [1, 7]


def test_rows_without_a_text_are_left_out_and_named() -> None:
    result = tsv("source\treference\nuno\tone\n\ttwo\ntres\t\n\n\ncuatro\tfour\n")
    assert result.sources == ["uno", "cuatro"]
    assert [row.line for row in result.left_out] == [3, 4]
    assert result.left_out_count == 2


def test_json_lines_and_pasted_lines_are_read_alike() -> None:
    rows = [
        {"source": "uno", "reference": "one", "score": 1},
        {"source": "dos", "reference": "two", "score": 2},
    ]
    lines = "\n".join(map(json.dumps, rows)).encode()
    result = segments_of_table(read_table(lines, "set.jsonl"))
    assert (result.sources, result.scores) == (["uno", "dos"], {"score": (1.0, 2.0)})
    assert segments_of_table(read_pasted("uno\tone\ndos\ttwo")).sources == ["uno", "dos"]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (
            "source\treference\tscore\nuno\tone\t0.5\ndos\ttwo\tgood\n",
            ("score_is_no_number", 3, "score", "good"),
        ),
        ("source\treference\tscore\nuno\tone\tnan\n", ("score_is_no_number", 2)),
        ("source\treference\nuno\t\ndos\t\n", ("no_row_with_both",)),
        ("1\t2\n3\t4\n", ("column_without_texts", "column 1", "only_numbers")),
        ("a\tb" + "\tc d" * (MAX_SYSTEMS + 1) + "\n", ("too_many_outputs", MAX_SYSTEMS)),
    ],
)
def test_an_unusable_test_set_is_refused(text: str, refusal: Refusal) -> None:
    with refused(DataError, *refusal):
        tsv(text)


def test_one_column_is_refused() -> None:
    with refused(DataError, "one_column"):
        tsv("uno\ndos\n")


def test_a_small_test_set_gets_a_warning() -> None:
    assert [note.code for note in tsv("uno\tone\n").notes] == ["one_segment"]
    assert [note.code for note in tsv("uno\tone\ndos\tone\n").notes] == ["same_references"]
    assert tsv("uno\tone\ndos\ttwo\n").notes == ()
    with refused(DataError, "no_pair_to_evaluate"):
        segments_of_pairs([])
