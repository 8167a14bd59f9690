"""All architectures: each folder of this package whose `config` has a `NetworkConfig`."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import isabstract, isclass
from typing import TYPE_CHECKING, Any, TypeGuard

from models.discovery import import_modules
from models.errors import brief, not_one_of
from models.networks.config import MAX_PARAMETERS, ConfigError, NetworkConfig

if TYPE_CHECKING:
    from models.networks.base import Seq2SeqModel


def _is_architecture(value: object) -> TypeGuard[type[NetworkConfig]]:
    return isclass(value) and issubclass(value, NetworkConfig) and not isabstract(value)


_MODULES = import_modules("models.networks", submodule="config")
_CONFIGS = {value for module in _MODULES for value in vars(module).values() if _is_architecture(value)}
# By name, the oldest first.
ARCHITECTURES = {
    kind.architecture: kind for kind in sorted(_CONFIGS, key=lambda kind: (kind.year, kind.title))
}


def build_model(config: NetworkConfig, vocab_size: int, pad_id: int) -> Seq2SeqModel:
    """Build a network with random weights. Raises ConfigError for one with too many parameters."""
    parameters = config.num_parameters(vocab_size)
    if parameters > MAX_PARAMETERS:
        raise ConfigError(
            "too_many_parameters",
            "the network would have {count} parameters, and at most {limit} are built: make it narrower, or "
            "take fewer layers",
            count=f"{parameters:,}",
            limit=f"{MAX_PARAMETERS:,}",
        )
    return config.build(vocab_size, pad_id)


def network_config(data: Mapping[str, Any]) -> NetworkConfig:
    """Read a network from plain JSON with an `architecture`. Raises ConfigError."""
    if not isinstance(data, Mapping):
        raise ConfigError(
            "no_network", "network must be a mapping with an architecture; got {value}", value=brief(data)
        )
    settings = dict(data)
    architecture = settings.pop("architecture", None)
    if architecture not in tuple(ARCHITECTURES):
        raise ConfigError(not_one_of("architecture", ARCHITECTURES, architecture))
    kind = ARCHITECTURES[architecture]
    unknown = settings.keys() - kind.settings().keys()
    if unknown:
        raise ConfigError(
            "no_such_setting",
            "a {kind} network has no setting {names}",
            kind=architecture,
            names=", ".join(sorted(unknown)),
        )
    return kind(**settings)


def network_dict(config: NetworkConfig) -> dict[str, Any]:
    """Return a network as plain JSON, the inverse of `network_config`."""
    return {"architecture": config.architecture, **config.arguments()}


def reads_pictures(data: Mapping[str, Any]) -> bool:
    """Whether the sources of a network are pictures; data: the result of `network_dict`."""
    architecture = data.get("architecture")
    return any(kind.reads_pictures for name, kind in ARCHITECTURES.items() if name == architecture)
