"""The cost of each test in processor seconds, and the limits that its marks set.

A second of a clock depends on how busy a machine is; a second of a processor hardly does. A slower processor
has higher limits, by a short computation that is measured beside a test that seems too dear.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

LIMITS = {
    "release": float("inf"),
    "full": 60.0,
    "browser": 20.0,
    "slow": 5.0,
}  # seconds, the first mark counts
LIMIT = 0.2  # seconds of a test without a mark
TOLERANCE = 3.0  # a strict run fails above this multiple of a limit: on a busy machine the same costs more
TRIES = 3  # the first one pays for imports and for what other tests share
REFERENCE = 0.05  # seconds of `_seconds_of_reference_work` where the limits were set
DEAREST = 15  # tests that the summary names
Cost = tuple[str, float, float]  # a test, its seconds and its limit


class Costs:
    """Measures all tests of a run, and names those that exceed their limit by far in each of three tries."""

    def __init__(self, file: Path, *, strict: bool) -> None:
        """`file` keeps the costs, the dearest test first; a `strict` run fails if a test is too dear."""
        self.strict = strict
        self.file = file
        self.costs: list[Cost] = []
        self.too_dear: list[Cost] = []
        self._failed = ""  # the last test that did

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        before = seconds()
        result = yield
        # Below zero where a browser ends that other tests used: what it took is then in no account.
        cost, limit = max(0.0, seconds() - before), _limit(item)
        self.costs.append((item.nodeid, cost, limit))
        if cost > limit * TOLERANCE and item.nodeid != self._failed:
            self._try_again(item, nextitem, cost, limit)
        return result

    def _try_again(self, item: pytest.Item, nextitem: pytest.Item | None, cost: float, limit: float) -> None:
        slowness = 1.0
        for _ in range(1, TRIES):
            item._initrequest()  # type: ignore[attr-defined]  # as pytest does before each test
            before = seconds()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            if not all(report.passed for report in reports):
                return  # it cannot run twice
            cost = min(cost, seconds() - before)
            if cost <= limit * TOLERANCE:
                return
            slowness = max(slowness, _seconds_of_reference_work() / REFERENCE)
        if cost > limit * slowness * TOLERANCE:
            self.too_dear.append((item.nodeid, cost, limit))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):  # xdist gives it to the process that prints
            session.config.workeroutput["costs"] = (self.costs, self.too_dear)
            return
        if self.strict and self.too_dear and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self.costs.sort(key=lambda cost: -cost[1])
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = (f"{spent:.3f}\t{limit:g}\t{test}\n" for test, spent, limit in self.costs)
        self.file.write_text("".join(lines), encoding="utf-8")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        costs, too_dear = getattr(node, "workeroutput", {}).get("costs", ((), ()))
        self.costs += costs
        self.too_dear += too_dear

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = sum(spent for _, spent, _ in self.costs)
        terminalreporter.section(f"processor time: {total:.0f} s for {len(self.costs)} tests")
        for test, spent, _ in self.costs[:DEAREST] if total > DEAREST else ():
            terminalreporter.write_line(f"{spent:6.1f} s  {test}")
        for test, spent, limit in self.too_dear:
            terminalreporter.write_line(
                f"FAILED {test} takes {spent:.2f} s, its limit is {limit:g} s: make it cheaper, or set the "
                "mark `slow` or `full`, see CONTRIBUTING.md",
                red=True,
            )


def seconds() -> float:
    """Processor seconds of this process, its ended children and, where /proc tells, its running ones."""
    times = os.times()
    return sum(times[:4]) + sum(map(_seconds_of, _descendants("self")))


def _descendants(process: str) -> Iterator[str]:
    try:
        tasks = os.listdir(f"/proc/{process}/task")
    except OSError:  # it has ended, or the system has no /proc
        return
    for task in tasks:
        try:
            children = Path(f"/proc/{process}/task/{task}/children").read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            yield child
            yield from _descendants(child)


def _seconds_of(process: str) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    # After the name in parentheses, from the 3rd field: see proc(5) for 14 to 17.
    ticks = fields[fields.rindex(")") + 2 :].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _limit(item: pytest.Item) -> float:
    return next((limit for mark, limit in LIMITS.items() if item.get_closest_marker(mark)), LIMIT)


def _seconds_of_reference_work() -> float:
    before = time.process_time()
    sum(number * number % 7 for number in range(1_000_000))
    return time.process_time() - before
