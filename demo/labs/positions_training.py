"""The training of the lab of positions and masks: one small network that predicts every next token."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from demo.answers.content import Cell, Chart, Content, Table
from demo.answers.controls import Controls
from demo.i18n import later, say
from demo.i18n.display import number_text, percent_text
from demo.labs.positions_figures import losses_figure, seen_figure
from models.labs.progress import Progress

if TYPE_CHECKING:
    from models.labs.masks import Learnt

PLACES = 64
NOISE = 0.2  # nats by which a mean over the last steps may lie below what can be guessed
ENCODER, DECODER, PREFIX = "encoder", "decoder", "prefix"
NAMES = {
    ENCODER: later("all to all (encoder-only, BERT)"),
    DECODER: later("causal (decoder-only, GPT)"),
    PREFIX: later("prefix (encoder-decoder)"),
}
SINUSOIDAL, NONE = "sinusoidal", "none"


@dataclass(frozen=True)
class Settings:
    """What the training hangs on."""

    mask: str
    positions: str


def settings(chosen: Controls) -> Settings:
    """The network's mask, and whether it is told where a token stands."""
    masks = [(key, say(NAMES[key])) for key in NAMES]
    ways = [(SINUSOIDAL, say("sinusoidal")), (NONE, say("no positions"))]
    return Settings(
        chosen.choose("mask", say("mask"), masks, DECODER), chosen.choose("positions", say("positions"), ways)
    )


def run(asked: Settings) -> Iterator[Progress[Learnt]]:
    """See `models.labs.masks.train`."""
    from models.labs.masks import train

    return train(asked.mask, positions_of(asked))


def positions_of(asked: Settings) -> Any:
    """Of each of PLACES places a vector (PLACES, WIDTH), or None."""
    from models.labs.masks import WIDTH
    from models.networks.transformer.model import sinusoidal_positions

    return sinusoidal_positions(PLACES, WIDTH) if asked.positions == SINUSOIDAL else None


def learnt_by_mask(chosen: Controls, asked: Settings) -> Mapping[str, Learnt | None]:
    """What this visitor has trained with these positions, None where they have not."""
    return {key: chosen.trained(replace(asked, mask=key)) for key in NAMES}


def losses_charts(learnt: Mapping[str, Learnt | None]) -> list[Chart]:
    """One, or none before the first training."""
    from models.labs.masks import LETTERS, STEPS

    drawn = {say(NAMES[key]): item for key, item in learnt.items() if item}
    title = say("Loss on the random letters and on the copy")
    return [Chart("losses", title, losses_figure(drawn, STEPS, math.log(LETTERS)))] if drawn else []


def training_view(chosen: Controls, asked: Settings) -> Content:
    """Losses by mask, those of this visitor's earlier trainings beside them, and the attention it learnt."""
    from models.labs.masks import COPIED, LAYERS, LETTERS

    layer = int(
        chosen.choose("layer", say("layer"), [(str(index + 1), str(index + 1)) for index in range(LAYERS)])
    )
    learnt = learnt_by_mask(chosen, asked)
    own, chance = learnt[asked.mask], math.log(LETTERS)
    task = say(
        "The task: {count} random letters, a bar, the same letters again; the network predicts every next "
        "token. The first letters cannot be guessed: the best honest loss is ln {letters} = {chance} nats. "
        "The copy can.",
        count=COPIED,
        letters=LETTERS,
        chance=number_text(chance),
    )
    charts = losses_charts(learnt)
    table = _learnt_table(learnt)
    if own is None:
        return Content([say("Not trained yet: press Train, then try the other masks."), task], charts, table)
    tokens = list(own.example)
    allowed = [[weight > 0 for weight in row] for row in own.weights[layer - 1]]
    charts.append(
        Chart(
            "attention", say("Attention on one example"), seen_figure(tokens, own.weights[layer - 1], allowed)
        )
    )
    facts: dict[str, float | str] = {
        "string_loss": _mean(own.string),
        "copy_loss": _mean(own.copy),
        "honest_loss": chance,
    }
    if own.read:
        facts |= {"read_right": own.read / own.tested, "written_right": own.written / own.tested}
    cheats = _mean(own.string) < chance - NOISE
    told = [
        say(
            "Random letters cost {string} nats, the copy {copy}.",
            string=number_text(_mean(own.string)),
            copy=number_text(_mean(own.copy)),
        ),
        say(
            "Less than {chance} on random letters is cheating: the mask lets it read the answer.",
            chance=number_text(chance),
        )
        if cheats
        else say(
            "On random letters it is not below that of an honest guess, {chance}: "
            "it does not see the answer.",
            chance=number_text(chance),
        ),
        task,
    ]
    return Content(told, charts, table, facts)


def _mean(losses: Sequence[float]) -> float:
    """Of the last steps."""
    last = losses[-20:]
    return sum(last) / len(last)


def _learnt_table(learnt: Mapping[str, Learnt | None]) -> Table:
    rows: list[list[Cell]] = []
    for key, item in learnt.items():
        if item is None:
            rows.append([say(NAMES[key]), "", "", "", ""])
            continue
        right = [
            percent_text(count / item.tested) if item.read else "" for count in (item.read, item.written)
        ]
        rows.append(
            [say(NAMES[key]), number_text(_mean(item.string), 3), number_text(_mean(item.copy), 3), *right]
        )
    head = [
        say("mask"),
        say("loss on random letters"),
        say("loss on the copy"),
        say("copy right, truth read"),
        say("copy right, own read"),
    ]
    return Table(head, rows)
