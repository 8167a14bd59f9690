"""Triage distinguishes free translations from translations of other sentences."""

from __future__ import annotations

import pytest

from tests.models.evaluation.triage.free_references import FOREIGN, FREE, doubted, system_of


@pytest.mark.slow
def test_most_references_of_other_sentences_are_doubted_and_few_free_ones() -> None:
    system = system_of("spa-eng-gru")
    (free, bad), (foreign, all_bad) = doubted(system, FREE), doubted(system, FOREIGN)
    assert 4 * free <= bad
    assert 3 * foreign >= 2 * all_bad
