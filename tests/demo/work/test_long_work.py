"""Long work other than searches shares the processor, too."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Thread

from demo.compare.work.from_request import scored_reference
from demo.work.context import AppContext
from demo.work.requests.compare import comparison_request
from demo.work.requests.decode import DecodeRequest
from demo.work.turns import Turns
from demo.work.watch import Watch
from models.decoding.judge.verdict import ScoredText
from models.decoding.options import DecodingOptions
from tests.demo.conftest import LETTERS
from tests.fakes.servers.occupied_server import Occupied
from tests.waiting import wait


def test_a_score_waits_for_its_turn(context: AppContext) -> None:
    before = context.score(LETTERS, "hola", "aloh")
    context.turns = Turns(1, 5)
    occupied, scored = Occupied(context.turns, 1), list[ScoredText]()
    request = comparison_request(LETTERS, "hola", "aloh", [{"strategy": "greedy"}], 10)
    threads = [
        Thread(target=lambda: scored.append(context.score(LETTERS, "hola", "aloh"))),
        Thread(target=lambda: scored.append(scored_reference(context, request))),
    ]
    for count, thread in enumerate(threads):
        thread.start()
        wait(lambda count=count: len(context.turns._waiting) == count + 1)  # type: ignore[misc]
    assert not scored
    occupied.free()
    for thread in threads:
        thread.join()
    assert [item.tokens for item in scored] == [before.tokens] * 2


@dataclass(eq=False)
class PauseCounter(Watch):
    """Counts the pauses in which other work can run."""

    rests: int = 0

    def let_others_run(self) -> None:
        self.rests += 1
        super().let_others_run()


def test_a_matrix_of_utilities_yields_to_others(context: AppContext) -> None:
    watch = PauseCounter()
    options = DecodingOptions("mbr", num_samples=8, temperature=2.0, max_length=8)
    trace = context.decode(DecodeRequest(LETTERS, "hola", options), watch)
    different = {hypothesis.text for hypothesis in trace.hypotheses}
    assert len(different) > 1
    assert trace.greedy is not None  # decoded beside the samples, a pause a step
    assert watch.rests == len(trace.steps) + len(different) + len(trace.greedy.token_ids)
