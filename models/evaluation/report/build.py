"""The builder of a report: everything that an evaluation says about systems on a test set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from itertools import combinations
from statistics import mean

from models.budget import let_others_run
from models.errors import Message
from models.evaluation.beam_widths.curve import options_by_width
from models.evaluation.breakdowns import (
    by_sentence_score,
    by_source_length,
    by_training_frequency,
    by_unknown_words,
    ngram_differences,
)
from models.evaluation.command import name_of, settings_of
from models.evaluation.report.damage import changed_sources
from models.evaluation.report.evaluation_report import (
    BleuParts,
    CauseShare,
    EvaluationReport,
    MetricDifference,
    NGramPrecision,
    SegmentOutput,
    SegmentRow,
    SystemReport,
    TriageSummary,
)
from models.evaluation.run import ONE_PROCESS
from models.evaluation.systems import SystemResult, metric_score
from models.evaluation.text_scores import calibration
from models.evaluation.triage.triage import Triage, triage
from models.metrics.dissection import MAX_ORDER, dissect, dissect_corpus
from models.metrics.sentence import DEFAULT_TOKENIZER, TOKENIZERS, words
from models.metrics.significance import difference
from models.training.process_group import Group

WordCounts = Mapping[str, int]
OnActivity = Callable[[Message, float], None]  # the next activity, and the share of all work that is done
# The relative durations of the parts. The causes take most of the time, if there are bad outputs.
METRICS_COST, DIFFERENCES_COST, BREAKDOWNS_COST, CAUSES_COST, CHANGES_COST = 1.0, 2.0, 1.0, 20.0, 10.0


def build_report(
    results: Sequence[SystemResult],
    *,
    training_sources: WordCounts | None = None,
    training_targets: WordCounts | None = None,
    on_activity: OnActivity = lambda what, share: None,
    group: Group = ONE_PROCESS,
    changes: int = 0,
) -> EvaluationReport:
    """Compute metric scores, differences, breakdowns, triage and a row for each segment; no width curves.

    `changes` is the number of sources to change in every possible way. `training_sources` and
    `training_targets` count the words of the training data. `on_activity` may raise to stop. All processes of
    a group must call this function. Raises ValueError if there is no system.
    """
    if not results:
        raise ValueError("there is no system to evaluate: name a checkpoint, or give a column of outputs")
    segments = results[0].segments
    steps = _Steps(on_activity, results, bool(changes))
    systems = []
    for result in results:
        steps.begin(Message("figures_of", "Figures of {system}", system=result.name), METRICS_COST)
        systems.append(_system(result))
    pairs = [(a, b, name) for a, b in combinations(results, 2) for name in _shared_metrics(a, b)]
    differences = []
    for a, b, name in pairs:
        steps.begin(Message("differences", "Differences"), DIFFERENCES_COST)
        change = difference(a.statistics[name], b.statistics[name])
        differences.append(MetricDifference(a.name, b.name, name, **asdict(change)))
    steps.begin(Message("breakdowns", "Breakdowns"), BREAKDOWNS_COST)
    breakdowns = [by_source_length(results), by_unknown_words(results), by_sentence_score(results)]
    if training_targets is not None:
        breakdowns.append(by_training_frequency(results, training_targets))
    triages: dict[str, Triage] = {}
    for index, result in enumerate(results):
        if result.system is not None:
            steps.begin(Message("causes_in", "Causes in {system}", system=result.name), CAUSES_COST)
            triages[result.name] = triage(result, training_sources, on_share=steps.within, group=group)
            systems[index] = replace(systems[index], triage=_summary(triages[result.name]))
    if changes:
        steps.begin(Message("changed_sources", "Changed sources"), CHANGES_COST)
    return EvaluationReport(
        date=date.today().isoformat(),
        segments=len(segments),
        references=sum(len(segment.references) for segment in segments.all),
        notes=segments.notes,
        left_out=segments.left_out,
        left_out_count=segments.left_out_count,
        systems=tuple(systems),
        differences=tuple(differences),
        changes=changed_sources(results, changes) if changes else (),
        width_curves=(),
        breakdowns=tuple(breakdown for breakdown in breakdowns if breakdown is not None),
        rows=tuple(_row(index, results, triages) for index in range(len(segments))),
    )


class _Steps:
    """The steps of a report, for its progress."""

    def __init__(self, on_activity: OnActivity, results: Sequence[SystemResult], changes: bool) -> None:
        self._on_activity = on_activity
        pairs = sum(len(_shared_metrics(a, b)) for a, b in combinations(results, 2))
        run_here = sum(result.system is not None for result in results)
        self._total_cost = METRICS_COST * len(results) + DIFFERENCES_COST * pairs + BREAKDOWNS_COST
        self._total_cost += (CAUSES_COST + CHANGES_COST * changes) * run_here
        self._cost_done = self._step_cost = 0.0
        self._activity = Message("begins", "Getting ready.")

    def begin(self, activity: Message, cost: float) -> None:
        """Begin the next step, which takes `cost`. The listener may raise to stop."""
        self._cost_done += self._step_cost
        self._activity, self._step_cost = activity, cost
        let_others_run()
        self.within(0.0)

    def within(self, share: float) -> None:
        """Report that a share of the step is done, 0 to 1."""
        self._on_activity(self._activity, (self._cost_done + share * self._step_cost) / self._total_cost)


def count_words(texts: Sequence[str], language: str) -> Counter[str]:
    """The number of occurrences of each word in some texts."""
    return Counter(word for text in texts for word in words(text, language))


def _shared_metrics(a: SystemResult, b: SystemResult) -> list[str]:
    """The names of the metrics that both have."""
    return [name for name in a.statistics if name in b.statistics]


def _system(result: SystemResult) -> SystemReport:
    system = result.system
    return SystemReport(
        name=result.name,
        checkpoint=system.checkpoint.name if system else "",
        decoding=name_of(system.options) if system else "",
        settings=settings_of(system.options) if system else {},
        widths=tuple(options_by_width(system.options)) if system else (),
        seconds=round(result.seconds, 2),
        metric_scores=tuple(metric_score(name, of_metric) for name, of_metric in result.statistics.items()),
        bleu=_bleu_parts(result),
        calibration=calibration(result.reference_scores) if result.reference_scores else None,
        ngrams={
            str(order): ngram_differences(result.outputs, result.segments.references, result.language, order)
            for order in range(1, MAX_ORDER + 1)
        },
    )


def _bleu_parts(result: SystemResult) -> BleuParts:
    """The factors of a corpus BLEU, which is not the mean of its sentences' BLEU."""
    tokenizer = TOKENIZERS.get(result.language, DEFAULT_TOKENIZER)
    pairs = list(zip(result.outputs, result.segments.references, strict=True))
    corpus = dissect_corpus([dissect(output, texts, tokenizer=tokenizer) for output, texts in pairs])
    sentences = [
        dissect(output, texts, tokenizer=tokenizer, effective_order=True).score for output, texts in pairs
    ]
    return BleuParts(
        corpus.score,
        mean(sentences),
        corpus.brevity_penalty,
        corpus.length,
        corpus.reference_length,
        tuple(NGramPrecision(order.n, order.matched, order.total, order.smoothed) for order in corpus.orders),
    )


def _summary(triage: Triage) -> TriageSummary:
    causes = {diagnosis.cause.name: diagnosis.cause for diagnosis in triage.diagnoses}
    return TriageSummary(
        triage.threshold,
        triage.bad,
        len(triage.diagnoses),
        tuple(
            CauseShare(name, causes[name].title, causes[name].remedy, share)
            for name, share in triage.shares.items()
        ),
    )


def _row(index: int, results: Sequence[SystemResult], triages: Mapping[str, Triage]) -> SegmentRow:
    segment = results[0].segments.all[index]
    scores = results[0].segments.scores
    return SegmentRow(
        segment.line,
        segment.source,
        segment.references,
        {name: values[index] for name, values in scores.items()},
        {result.name: _output(index, result, triages.get(result.name)) for result in results},
    )


def _output(index: int, result: SystemResult, triage: Triage | None) -> SegmentOutput:
    output = SegmentOutput(result.outputs[index], round(result.sentence_chrf[index], 2))
    if result.output_scores:
        scores = result.output_scores[index]
        output = replace(
            output,
            log_prob=round(scores.log_prob, 4),
            score=round(scores.score, 4),
            reference_score=round(scores.reference_score, 4),
            mean_nll=round(-scores.log_prob / max(1, scores.tokens), 4),
        )
    diagnosis = None if triage is None else triage.by_index.get(index)
    if diagnosis is not None:
        cause = diagnosis.cause
        output = replace(output, cause=cause.name, evidence=diagnosis.evidence, remedy=cause.remedy)
    return output
