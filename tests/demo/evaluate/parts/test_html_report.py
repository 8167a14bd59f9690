"""An evaluation as one page that needs no other file."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

import pytest

from demo.evaluate.parts import evaluation_parts
from demo.evaluate.parts.html_report import to_html
from demo.i18n import in_language
from demo.widgets.answers.content import Controls, as_sent
from models.evaluation.report.build import build_report
from models.evaluation.report.evaluation_report import EvaluationReport
from models.evaluation.segments import segments_of_pairs
from tests.models.evaluation.results import result


class Texts(HTMLParser):
    """Collects the texts of a page, and its tags with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_report_page_escapes_texts() -> None:
    evil = "<script>alert(1)</script>"
    segments = segments_of_pairs([(evil, "BODY TITLE"), ("hola", evil)])
    report = build_report([result((evil, "x"), name=evil, segments=segments)])
    page = to_html(report, evil)
    assert evil not in page
    assert page.count("<script") == 1  # the script of the page
    assert "BODY TITLE" in page
    assert page.count("</html>") == 1


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "es"])
def test_the_page_says_what_every_part_says(report: EvaluationReport, code: str) -> None:
    with in_language(code):
        page = Texts(to_html(report, "a title"))
        for part in evaluation_parts():
            controls = Controls()
            answer = as_sent(part.compute(report, controls), controls.controls)
            assert set(answer["sentences"]) <= set(page.texts)
            cells = [cell for row in answer["table"]["rows"] for cell in row if isinstance(cell, str)]
            assert set(filter(None, cells)) <= set(page.texts)
            labels = [label for control in answer["controls"] for _, label in control["options"]]
            assert [label for label in labels if not any(label in text for text in page.texts)] == []
    assert page.tags[0] == ("html", {"lang": code})


@pytest.mark.slow
def test_the_page_loads_nothing_and_has_every_text(report: EvaluationReport) -> None:
    page = to_html(report, "a title")
    tags = Texts(page).tags
    assert not [tag for tag, attributes in tags if {"src", "href", "srcset"} & attributes.keys()]
    policies = [attributes["content"] or "" for tag, attributes in tags if "http-equiv" in attributes]
    assert [policy.partition(";")[0] for policy in policies] == ["default-src 'none'"]
    assert all(escape(row.source) in page for row in report.rows)
    assert all(escape(text) in page for row in report.rows for text in row.references)
