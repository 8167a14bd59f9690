"""Checkpoints to which a view of Inspect applies, offered when it does not apply to the current one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from demo.i18n import say
from demo.inspect.view import InspectView
from demo.widgets.answers.content import Cell, LinkCell, Table
from models.networks.config import ConfigError, NetworkConfig

if TYPE_CHECKING:
    from models.registry.checkpoint import CheckpointConfig

MAX_CHECKPOINTS = 6  # checkpoints that are offered


def is_recurrent(network: NetworkConfig) -> bool:
    """Whether a network carries a state from step to step."""
    from models.networks.captioner.config import CaptionerConfig
    from models.networks.recurrent.config import RecurrentConfig

    return isinstance(network, RecurrentConfig | CaptionerConfig)


def is_transformer(network: NetworkConfig) -> bool:
    """Whether a network is a Transformer."""
    from models.networks.transformer.config import TransformerConfig

    return isinstance(network, TransformerConfig)


def attends(network: NetworkConfig) -> bool:
    """Whether a network's decoder has attention."""
    return getattr(network, "attention", "") != "none"


def fits(view: InspectView, config: CheckpointConfig) -> bool:
    """Whether a view applies to a checkpoint; true if its network is unknown."""
    from models.networks.architectures import network_config

    try:
        return view.fits is None or view.fits(network_config(config.network))
    except ConfigError:
        return True


def elsewhere(
    view: InspectView, current: CheckpointConfig, configs: Mapping[str, CheckpointConfig], text: str
) -> Table:
    """Links to checkpoints to which a view applies, those that read the same kind of text first."""
    alike = {name: config.reads_like(current) for name, config in configs.items() if fits(view, config)}
    rows: list[list[Cell]] = [
        [_link(view.name, name, text if alike[name] else ""), say("the same text") if alike[name] else ""]
        for name in sorted(alike, key=lambda name: not alike[name])[:MAX_CHECKPOINTS]
    ]
    return Table([say("checkpoints that have an answer"), ""], rows)


def _link(view: str, name: str, text: str) -> LinkCell:
    parameters = {"tab": "decode", "checkpoint": name, **({"text": text} if text else {}), "inspect": view}
    return LinkCell(name, urlencode(parameters))
