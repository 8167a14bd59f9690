"""The output of greedy search for the request of a trace."""

from __future__ import annotations

from models.decoding.options import settings
from models.decoding.settings import FormPart
from models.decoding.status import Reason
from models.decoding.trace import DecodingTrace, GreedyOutput

UNCHOSEN = {Reason.OPENING, Reason.FORCED, Reason.CLOSING}  # tokens that greedy search must take, too


def greedy_output(trace: DecodingTrace) -> GreedyOutput | None:
    """Return the output of greedy search; None if the trace does not know it.

    It is the hypothesis of first choices if there is one. Under constraints the first choice of the model is
    not always allowed, so that only greedy search itself knows its output.
    """
    if trace.greedy is not None or _is_constrained(trace):
        return trace.greedy
    for hypothesis in trace.hypotheses:
        path = trace.path(hypothesis.node)
        if all(node.token_rank == 0 or node.reason in UNCHOSEN for node in path):
            return GreedyOutput(hypothesis.text, hypothesis.token_ids)
    return None


def _is_constrained(trace: DecodingTrace) -> bool:
    constraints = (setting for setting in settings().values() if setting.part is FormPart.CONSTRAINT)
    return any(trace.settings.get(item.name, item.default) != item.default for item in constraints)
