"""Quality against source length as a chart and as a sentence, from invented numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.widgets.captions.quality import quality_sentence
from demo.widgets.figures.curves.quality_by_length import (
    LINE_COLOURS,
    MAX_LABELS,
    QualityChart,
    dark_bands,
    line_style,
    quality_charts,
    quality_figure,
)
from demo.widgets.figures.figure import DARK, LIGHT
from models.metrics.bootstrap import exact_matches
from models.registry.quality_by_length import LengthBin, QualityByLength
from tests.demo.widgets.figures.figure_check import checked

SPANS = ((1, 3), (4, 4), (5, 9))


def quality(name: str, *values: float, width: float = 2.0, **changes: object) -> QualityByLength:
    bins = tuple(
        LengthBin(first, last, 100, value, max(0.0, value - width), min(100.0, value + width))
        for (first, last), value in zip(SPANS, values, strict=False)
    )
    quality = QualityByLength(
        name, "translation", "es", "en", "digest", "BLEU", "sig", "greedy", "words", 2000, bins
    )
    return replace(quality, **changes)


def single_chart(*qualities: QualityByLength) -> QualityChart:
    (chart,) = quality_charts(qualities)
    return chart


def test_one_chart_holds_what_was_measured_on_one_test_set() -> None:
    lstm, gru = quality("lstm", 50, 40, 20), quality("gru", 52, 50, 45)
    reverse = quality("reverse", 99, 99, 0, test_set="other", task="reversal", metric="exact match")
    back = replace(reverse, source_language="", target_language="")
    first, second = quality_charts([back, lstm, gru])
    assert (first.title, first.metric, first.unit) == ("Spanish to English", "BLEU", "words")
    assert [line.name for line in first.lines] == ["lstm", "gru"]
    assert first.spans == ("1–3", "4", "5–9")
    assert (second.title, second.metric) == ("Reversal", "exact match")


def test_without_measurements_no_quality_chart_is_drawn() -> None:
    assert quality_charts([]) == ()


def test_the_names_contain_strategies_that_differ() -> None:
    alike = single_chart(quality("a", 1), quality("b", 2))
    assert (alike.strategy, alike.lines[0].name) == ("greedy", "a")
    mixed = single_chart(quality("a", 1), quality("a", 2, strategy="beam 4"))
    assert (mixed.strategy, [line.name for line in mixed.lines]) == ("", ["a, greedy", "a, beam 4"])


def test_confidence_bands_are_drawn_behind_their_lines() -> None:
    figure = checked(quality_figure(single_chart(quality("lstm", 50, 40, 20), quality("gru", 52, 50, 45))))
    assert [trace.name for trace in figure.data] == [None, None, "lstm", "gru"]
    band, line = figure.data[0], figure.data[2]
    assert band.x == (0, 1, 2, 2, 1, 0)
    assert band.y == (52, 42, 22, 18, 38, 48)
    assert (line.x, line.y) == ((0, 1, 2), (50, 40, 20))
    assert line.text[2] == "lstm<br>5–9 words: BLEU 20.0<br>95% interval 18.0 to 22.0<br>100 sources"


def test_every_colour_has_one_for_the_dark_page_and_no_two_lines_look_alike() -> None:
    dark_colours = {getattr(LIGHT, name): getattr(DARK, name) for name in LINE_COLOURS} | dark_bands()
    chart = single_chart(*(quality(f"n{i}", 10, 10, 10) for i in range(7)))
    drawn = checked(quality_figure(chart)).data
    assert {trace.fillcolor for trace in drawn[:7]} | {trace.line.color for trace in drawn[7:]} <= set(
        dark_colours
    )
    styles = [line_style(i) for i in range(7)]
    assert len(set(styles)) == 7


def test_a_name_is_no_markup() -> None:
    figure = checked(quality_figure(single_chart(quality("<b>x</b>", 50))))
    assert "<b>" not in figure.data[1].name + figure.data[1].text[0]


def test_of_many_lengths_only_some_and_the_last_are_labelled() -> None:
    bins = tuple(LengthBin(length, length, 9, 1.0, 0.0, 2.0) for length in range(1, 21))
    axis = checked(quality_figure(single_chart(quality("a", 1, bins=bins)))).layout.xaxis
    assert len(axis.tickvals) <= MAX_LABELS
    assert (axis.tickvals[-1], axis.ticktext[-1]) == (19, "20")


def test_the_sentence_names_the_largest_and_the_smallest_gap() -> None:
    chart = single_chart(
        quality("lstm", 50, 40, 20), quality("gru", 58, 50, 45), quality("context", 50, 44, 30)
    )
    assert quality_sentence(chart) == (
        "lstm falls furthest behind at 5–9 words: BLEU 20.0 against 45.0 of gru; "
        "at 1–3 it is 8.0 points behind."
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (45.0, "at 1–3 it is 5.0 points ahead."),
        (47.0, "at 1–3 their intervals overlap."),
        (53.0, "at 1–3 their intervals overlap."),
        (60.0, "at 1–3 it is 10.0 points behind."),
    ],
)
def test_the_sentence_compares_the_shortest_lengths(start: float, end: str) -> None:
    assert quality_sentence(single_chart(quality("a", 50, 20), quality("b", start, 90))).endswith(end)


def test_a_gap_at_the_start_is_named_once() -> None:
    sentence = quality_sentence(single_chart(quality("a", 20, 50), quality("b", 60, 52)))
    assert sentence == "a falls furthest behind at 1–3 words: BLEU 20.0 against 60.0 of b."


def test_overlapping_intervals_are_no_gap() -> None:
    chart = single_chart(quality("a", 50, 40, width=9), quality("b", 55, 45, width=9))
    assert "the intervals of all lines overlap" in quality_sentence(chart)


def test_a_gap_between_lower_lines_is_named_if_the_best_is_uncertain() -> None:
    """The highest line has a wide band; the gap between the two lines below is the named one."""
    lines = quality("high", 60, width=30), quality("middle", 55), quality("low", 45)
    assert quality_sentence(single_chart(*lines)).startswith(
        "low falls furthest behind at 1–3 words: BLEU 45.0 against 55"
    )


def test_a_perfect_share_is_not_ahead_if_chance_explains_the_gap() -> None:
    """200 of 200 against 196 of 200: Fisher's exact test gives p = 0.12."""
    all_right, most = (
        quality(
            name,
            0,
            metric="exact match",
            resamples=0,
            bins=(LengthBin(4, 4, 200, share.value(), *share.interval()),),
        )
        for name, share in (
            ("a", exact_matches(["x"] * 200, [["x"]] * 200)),
            ("b", exact_matches(["x"] * 200, [["x"]] * 196 + [["y"]] * 4)),
        )
    )
    assert "falls" not in quality_sentence(single_chart(all_right, most))


@pytest.mark.parametrize(
    ("resamples", "words"),
    [
        ((0, 0), "95% intervals by Wilson's formula (1927)"),
        ((2000, 2000), "95% intervals of 2,000 test sets drawn again from these sources (bootstrap)"),
        ((2000, 0), "95% intervals"),
    ],
)
def test_a_chart_explains_its_bands(resamples: tuple[int, int], words: str) -> None:
    chart = single_chart(
        *(quality(name, 50, resamples=count) for name, count in zip("ab", resamples, strict=True))
    )
    assert chart.intervals == words


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ((50.0,), "a: BLEU 50.0 at 1–3 words."),
        ((50.0, 49.0), "a: BLEU 50.0 at 1–3 words and 49.0 at 4."),
        (
            (50.0, 40.0, 10.0),
            "a: BLEU 50.0 at 1–3 words and 10.0 at 5–9. It falls most steeply from 4 to 5–9: 40.0 to 10.0.",
        ),
    ],
)
def test_a_single_line_is_described_by_its_start_and_end(values: tuple[float, ...], sentence: str) -> None:
    assert quality_sentence(single_chart(quality("a", *values))) == sentence


def test_a_share_is_a_percentage() -> None:
    chart = single_chart(quality("a", 99.0, metric="exact match"))
    assert quality_sentence(chart) == "a: exact match 99.0% at 1–3 words."
