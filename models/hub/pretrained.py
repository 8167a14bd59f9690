"""A checkpoint in two lines, from this machine or from the Hub.

    from models.hub.pretrained import from_pretrained
    checkpoint = from_pretrained("Helsinki-NLP/opus-mt-en-de")

Then `decode(checkpoint.model, checkpoint.tokenizer, "Good morning.", Greedy(), max_length=40)`, see
`models.decoding.decode`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from models.device import resolve_device
from models.hub.settings import HubSettings
from models.hub.store import HubStore
from models.registry.card import CheckpointError
from models.registry.checkpoint import CONFIG, Checkpoint
from models.registry.registry import Registry
from models.registry.variant import MARK

NO_FOLDER = "Copy the whole folder again, or name one that this program has written."
SHIPPED = Path(__file__).parents[2] / "checkpoints"


def from_pretrained(
    name_or_path: str | Path,
    revision: str = "main",
    device: str = "auto",
    settings: HubSettings | None = None,
) -> Checkpoint:
    """A checkpoint ready to decode: of a folder, one of those that ship, or a model "owner/name" of the Hub.

    Behind a name may stand "@" and a pair of languages or a task: "facebook/m2m100_418M@en-es".
    What was fetched before needs no network. Raises HubError, CheckpointError, and UnknownCheckpointError
    for a variant that a model does not have.
    """
    place = resolve_device(device)
    name, mark, variant = str(name_or_path), "", ""
    if not _is_folder(name):
        name, mark, variant = name.partition(MARK)
    if _is_folder(name):
        folder = Path(name).expanduser().absolute()
        try:
            found = Registry(folder.parent).load(folder.name + mark + variant, place)
        except CheckpointError as error:
            raise CheckpointError(name, error.file, error.problem, error.remedy or NO_FOLDER) from error
        return replace(found, name=str(name_or_path))
    shipped = Registry(SHIPPED)
    if name in shipped.names():
        return shipped.load(name + mark + variant, place)
    store = HubStore(settings or HubSettings.from_environment())
    name = store.add(name, revision)
    return Registry(store.settings.root / "none", shelf=store).load(name + mark + variant, place)


def _is_folder(name: str) -> bool:
    try:
        return (Path(name).expanduser() / CONFIG).is_file()
    except (OSError, ValueError, RuntimeError):  # no path at all
        return False
