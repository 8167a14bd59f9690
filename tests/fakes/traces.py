"""Small hand-made traces and large generated ones, without a model or torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from models.decoding.status import Reason, Status
from models.decoding.trace import (
    Attention,
    BeamNode,
    DecodedRow,
    DecodingStep,
    DecodingTrace,
    Hypothesis,
    NextToken,
    Token,
)

Spec = tuple[int | None, str, float, Status, Reason]  # parent, token, probability, status, reason

K, F, P = Status.KEPT, Status.FINISHED, Status.PRUNED
WITHIN, BELOW, END = Reason.WITHIN_BEAM, Reason.RANKED_BELOW, Reason.END_TOKEN


def focused(peak: int, length: int, layers: int = 1, heads: int = 1, weight: float = 0.7) -> Attention:
    """Return attention with `weight` on one source token, the rest spread evenly, and flatter later heads."""
    head_rows = []
    for index in range(layers * heads):
        top = weight / (1 + 0.3 * index)
        remainder = (1 - top) / (length - 1)
        head_rows.append(tuple(top if position == peak else remainder for position in range(length)))
    return tuple(tuple(head_rows[layer * heads : (layer + 1) * heads]) for layer in range(layers))


def token_id(token: str) -> int:
    """Return an id that depends on the letters and their order."""
    return sum(position * ord(letter) for position, letter in enumerate(token, 1)) % 8000


def build_trace(
    source: Sequence[str],
    steps: Sequence[Sequence[Spec]],
    finals: Sequence[tuple[int, bool]],
    strategy: str = "beam",
    attention: bool = True,
    layers: int = 1,
    heads: int = 1,
    alpha: float = 1.0,
) -> DecodingTrace:
    """Build a trace whose node ids follow the given order; ranks follow from cumulative log-probabilities."""
    nodes: dict[int, BeamNode] = {}
    built = []
    for index, specs in enumerate(steps):
        first_id = len(nodes)
        sums = [(nodes[p].cumulative if p is not None else 0.0) + math.log(q) for p, _, q, _, _ in specs]
        order = sorted(range(len(sums)), key=lambda candidate: -sums[candidate])
        ranks = {candidate: rank for rank, candidate in enumerate(order)}
        for candidate, (parent, token, probability, status, reason) in enumerate(specs):
            siblings = [spec for spec in specs if spec[0] == parent]
            nodes[first_id + candidate] = BeamNode(
                id=first_id + candidate,
                parent=parent,
                step=index,
                token_id=token_id(token),
                token=token,
                log_prob=math.log(probability),
                cumulative=sums[candidate],
                score=sums[candidate] / (index + 1) ** alpha,
                rank=ranks[candidate],
                token_rank=sum(spec[2] > probability for spec in siblings),
                status=status,
                reason=reason,
            )
        ranked = tuple(nodes[first_id + candidate] for candidate in order)
        parents = dict.fromkeys(spec[0] for spec in specs)
        rows = tuple(_row(parent, specs, index, len(source), attention, layers, heads) for parent in parents)
        built.append(DecodingStep(index=index, rows=rows, nodes=ranked))
    return DecodingTrace(
        checkpoint="hand-made",
        source_text="".join(source).replace("▁", " ").removesuffix("</s>").strip(),
        source=tuple(Token(id=index, surface=surface) for index, surface in enumerate(source)),
        strategy=strategy,
        settings={"beam_size": 4, "max_length": 40, "length_penalty": alpha},
        steps=tuple(built),
        hypotheses=tuple(_hypothesis(nodes, node, ended) for node, ended in finals),
    )


def _row(
    parent: int | None,
    specs: Sequence[Spec],
    index: int,
    length: int,
    attention: bool,
    layers: int,
    heads: int,
) -> DecodedRow:
    mine = sorted((spec for spec in specs if spec[0] == parent), key=lambda spec: -spec[2])
    top = [NextToken(token_id(token), token, math.log(p)) for _, token, p, _, _ in mine]
    mass = max(1e-6, 1 - sum(spec[2] for spec in mine))
    fillers = ["▁a", "▁of", ",", "▁to", "▁in", "▁and", "ing", "▁is"]
    for share, token in enumerate(fillers[: max(0, 10 - len(top))]):
        top.append(NextToken(7000 + share, token, math.log(mass / 2 ** (share + 1))))
    top.sort(key=lambda token: -token.log_prob)
    entropy = -sum(math.exp(token.log_prob) * token.log_prob for token in top)
    weights = focused(min(index, length - 1), length, layers, heads) if attention else None
    return DecodedRow(node=parent, top=tuple(top[:10]), entropy=entropy, attention=weights)


def _hypothesis(nodes: dict[int, BeamNode], node_id: int, ended: bool) -> Hypothesis:
    path = [nodes[node_id]]
    while path[-1].parent is not None:
        path.append(nodes[path[-1].parent])
    path.reverse()
    return Hypothesis(
        node=node_id,
        token_ids=tuple(node.token_id for node in path),
        text="".join(node.token for node in path if node.token != "</s>").replace("▁", " ").strip(),
        log_prob=path[-1].cumulative,
        score=path[-1].score,
        ended=ended,
    )


def library_trace(attention: bool = True, layers: int = 1, heads: int = 1) -> DecodingTrace:
    """Return the trace of a beam of two in which the path that leads after one step loses.

    Ids: 0 the, 1 a, 2 my; 3 library (of 1), 4 book (of 0), 5 bank (of 0); 6 end (of 3), 7 end (of 4),
    8 s (of 3).
    """
    steps: list[list[Spec]] = [
        [(None, "▁the", 0.5, K, WITHIN), (None, "▁a", 0.4, K, WITHIN), (None, "▁my", 0.05, P, BELOW)],
        [(1, "▁library", 0.9, K, WITHIN), (0, "▁book", 0.45, K, WITHIN), (0, "▁bank", 0.4, P, BELOW)],
        [(3, "</s>", 0.9, F, END), (4, "</s>", 0.8, F, END), (3, "s", 0.05, P, BELOW)],
    ]
    source = ("▁la", "▁biblio", "teca", "</s>")
    return build_trace(source, steps, [(6, True), (7, True)], attention=attention, layers=layers, heads=heads)


def closed_trace() -> DecodingTrace:
    """Return a trace with a length limit of two tokens, at which the checkpoint forces the end token."""
    steps: list[list[Spec]] = [
        [(None, "▁the", 0.9, K, WITHIN), (None, "▁a", 0.1, K, WITHIN)],
        [(0, "</s>", 0.01, F, Reason.CLOSING), (1, "</s>", 0.02, F, Reason.CLOSING)],
    ]
    return build_trace(("▁la", "</s>"), steps, [(2, False), (3, False)])


def translation_trace() -> DecodingTrace:
    """Return the trace of a beam of four with the size of an ordinary sentence."""
    source = [
        "▁Ayer",
        "▁encontr",
        "é",
        "▁una",
        "▁biblioteca",
        "▁antigua",
        "▁en",
        "▁el",
        "▁pueblo",
        ".",
        "</s>",
    ]
    texts = (
        "▁Yesterday ▁I ▁found ▁an ▁old ▁library ▁in ▁the ▁village . </s>",
        "▁Yesterday ▁I ▁found ▁an ▁old ▁library ▁in ▁the ▁town . </s>",
        "▁Yesterday , ▁I ▁found ▁an ▁old ▁library ▁in ▁town . </s>",
        "▁I ▁found ▁an ▁old ▁library ▁in ▁the ▁village ▁yesterday . </s>",
    )
    chances = (0.55, 0.5, 0.25, 0.35), (0.84, 0.84, 0.2, 0.9), (0.62, 0.62, 0.93, 0.6), (0.7, 0.7, 0.55, 0.7)
    rivals = [
        "▁Last",
        "▁we",
        "▁met",
        "▁one",
        "▁ancient",
        "▁bookstore",
        "▁at",
        "▁this",
        "▁people",
        "!",
        "▁yesterday",
    ]
    steps: list[list[Spec]] = []
    ends: dict[tuple[str, ...], int] = {}
    count = 0
    for step in range(11):
        column: dict[tuple[str, ...], Spec] = {}
        for lane, text in enumerate(texts):
            prefix = tuple(text.split()[: step + 1])
            parent = ends.get(prefix[:-1])
            chance = (
                chances[step][lane] if step < 4 else (0.91, 0.48, 0.7, 0.66)[lane] if step in {5, 8} else 0.95
            )
            ended = prefix[-1] == "</s>"
            if prefix not in column:
                column[prefix] = (parent, prefix[-1], chance, F if ended else K, END if ended else WITHIN)
            rival = (*prefix[:-1], rivals[(step + 3 * lane) % 11])
            column.setdefault(rival, (parent, rival[-1], 0.04 + 0.02 * lane, P, BELOW))
        for prefix, spec in column.items():
            if spec[3] is not P:
                ends[prefix] = count
            count += 1
        steps.append(list(column.values()))
    finals = [(ends[tuple(text.split())], True) for text in texts]
    trace = build_trace(source, steps, finals, layers=3, heads=4)
    ranked = sorted(trace.hypotheses, key=lambda hypothesis: -hypothesis.score)
    return replace(trace, hypotheses=tuple(ranked))


def hostile_trace() -> DecodingTrace:
    """Return a trace with tokens that would run, close a script or vanish without escaping."""
    steps: list[list[Spec]] = [
        [(None, "<img src=x onerror=alert(1)>", 0.6, K, WITHIN), (None, "</script>", 0.3, P, BELOW)],
        [(0, "${alert(1)}", 0.7, K, WITHIN), (0, "{{value}}", 0.2, P, BELOW)],
        [(2, "</s>", 0.9, F, END)],
    ]
    return build_trace(("</script><script>alert(1)</script>", "<b>", "\u2028", "</s>"), steps, [(4, True)])


def large_trace(beam: int = 10, steps: int = 40, fan: int = 5, source: int = 30) -> DecodingTrace:
    """Return a trace with a full beam and `beam * fan` candidates at every step."""
    specs: list[list[Spec]] = []
    rows: list[int | None] = [None]
    count = 0
    for step in range(steps):
        last = step == steps - 1
        column: list[Spec] = []
        width = beam * fan if step == 0 else fan
        for row, parent in enumerate(rows):
            keep = beam if step == 0 else 2 if row < beam // 3 else 0 if row >= beam - beam // 3 else 1
            for child in range(width):
                status = (F if child == 0 else P) if last else (K if child < keep else P)
                reason = {K: WITHIN, F: END, P: BELOW}[status]
                token = "</s>" if status is F else f"▁w{(step * 7 + row * 3 + child) % 61}"
                column.append((parent, token, 0.6 * 0.5 ** (child + 0.1 * row), status, reason))
        survivors = [count + row for row, spec in enumerate(column) if spec[3] is not P]
        specs.append(column)
        rows, count = list(survivors), count + len(column)
    finals = [(node, True) for node in rows if node is not None]
    words = [f"▁s{index}" for index in range(source - 1)] + ["</s>"]
    return build_trace(words, specs, finals, layers=3, heads=4)
