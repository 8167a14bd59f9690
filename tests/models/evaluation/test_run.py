"""Systems on a test set: outputs, progress, and refused texts."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from models.corpus.files.formats import read_pasted
from models.decoding.decode import decode
from models.decoding.judge.rescore import rescore
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.evaluation.run import EvaluationProgress, results_of_columns, run
from models.evaluation.segments import Segment, Segments, segments_of_pairs, segments_of_table
from models.evaluation.systems import System
from models.registry.registry import Registry
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
SOURCES = ("¿Dónde está la biblioteca?", "Hola.", "No sé qué hacer.")


def system(name: str = "spa-eng-gru", strategy: str = "beam") -> System:
    checkpoint = Registry(ROOT / "checkpoints").load(name, torch.device("cpu"))
    return System(strategy, checkpoint, DecodingOptions(strategy, max_length=40))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["beam", "greedy"])
def test_a_result_equals_a_trace_and_a_score(strategy: str) -> None:
    ours = system(strategy=strategy)
    evaluated = run([ours], segments_of_pairs((source, "I don't know.") for source in SOURCES))[0]
    for index, source in enumerate(SOURCES):
        checkpoint, scores = ours.checkpoint, evaluated.output_scores[index]
        trace = decode(checkpoint.model, checkpoint.tokenizer, source, ours.options, language="en")
        best = trace.hypotheses[0]
        assert evaluated.outputs[index] == best.text
        assert (scores.log_prob, scores.score) == pytest.approx((best.log_prob, best.score), abs=1e-4)
        assert (scores.tokens, scores.ended) == (len(best.token_ids), best.ended)
        reference = rescore(checkpoint.model, checkpoint.tokenizer, source, "I don't know.", ours.normalizer)
        assert scores.reference_log_prob == pytest.approx(reference.log_prob, abs=1e-3)
        assert scores.reference_tokens == len(reference.tokens)


def test_the_most_probable_reference_is_kept() -> None:
    segments = segments_of_pairs(
        [("Hola.", "Goodbye to you all."), ("Hola.", "Hello."), ("No sé.", "I don't know.")]
    )
    evaluated = run([system()], segments)[0]
    assert len(evaluated.reference_scores) == 3
    assert evaluated.output_scores[0].reference_log_prob == max(
        text.log_prob for text in evaluated.reference_scores[:2]
    )


@pytest.mark.slow
def test_progress_never_goes_back_and_ends_at_one() -> None:
    events: list[EvaluationProgress] = []
    run(
        [system(), system(strategy="greedy")],
        segments_of_pairs((text, "x") for text in SOURCES),
        events.append,
    )
    shares = [event.share for event in events]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert {event.activity for event in events} == {"beam", "greedy"}


def test_a_watcher_may_stop_a_run() -> None:
    class StoppedError(Exception):
        pass

    def stop(progress: EvaluationProgress) -> None:
        if progress.share > 0.1:
            raise StoppedError

    with pytest.raises(StoppedError):
        run([system()], segments_of_pairs((text, "x") for text in SOURCES), stop)


def test_a_text_that_is_too_long_is_named_by_its_line() -> None:
    segments = segments_of_table(read_pasted(f"source\treference\nHola.\tHello.\n{'palabra ' * 600}\tx"))
    with refused(DecodingError, "at_line", 3, "text_too_long"):
        run([system()], segments)
    long = segments_of_pairs([("Hola.", "word " * 600)])
    with refused(DecodingError, "reference_too_long", 1):
        run([system("spa-eng-transformer")], long)


def test_outputs_of_other_systems_are_compared() -> None:
    table = read_pasted("source\treference\ttheirs\nHola.\tHello.\tHello.\nNo sé.\tI don't know.\tNo.")
    ours, theirs = run([system()], segments_of_table(table))
    assert (theirs.name, theirs.outputs, theirs.system) == ("theirs", ("Hello.", "No."), None)
    assert theirs.exact.value() == 50
    assert ours.language == theirs.language == "en"


def test_outputs_without_a_checkpoint_are_tokenized_by_the_script_of_their_references() -> None:
    chinese = Segments((Segment("I like apples.", ("我很喜欢吃苹果。",), 1),), {"other": ("我喜欢吃苹果。",)})
    evaluated = results_of_columns(chinese)[0]
    assert evaluated.bleu.value() == pytest.approx(72.90, abs=0.005)
    assert "tok:zh" in evaluated.bleu.signature
    english = Segments((Segment("我喜欢", ("I like it.",), 1),), {"other": ("I like it.",)})
    assert "tok:13a" in results_of_columns(english)[0].bleu.signature
