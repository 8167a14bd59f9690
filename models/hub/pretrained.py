"""A checkpoint in two lines, from this machine or from the Hub.

    from models.hub.pretrained import from_pretrained
    checkpoint = from_pretrained("Helsinki-NLP/opus-mt-en-de")

Then `decode(checkpoint.model, checkpoint.tokenizer, "Good morning.", DecodingOptions(max_length=40))`, see
`models.decoding.decode`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from models.device import resolve_device
from models.environment import read
from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore
from models.registry.card import CheckpointError
from models.registry.checkpoint import CONFIG, Checkpoint
from models.registry.hugging_face.saved_folder import adopt_saved_folder, is_saved_folder
from models.registry.name import CheckpointName
from models.registry.registry import Registry

NO_FOLDER = "Copy the whole folder again, or name one that this program has written."
SHIPPED_FOLDER = Path(__file__).parents[2] / "checkpoints"


def from_pretrained(
    name_or_path: str | Path,
    revision: str = "main",
    device: str = "auto",
    settings: HubSettings | None = None,
) -> Checkpoint:
    """Load a checkpoint: from a folder, one of the shipped ones, or a model "owner/name" of the Hub.

    A folder may be one of `save_pretrained`.

    A name may end with "@" and a pair of languages or a task: "facebook/m2m100_418M@en-es". A model that was
    fetched before needs no connection. Raises HubError, CheckpointError, and UnknownCheckpointError
    for a variant that a model does not have.
    """
    target = resolve_device(device)
    text = str(name_or_path)
    name = CheckpointName(text) if _is_folder(text) else CheckpointName.of(text)
    if _is_folder(name.base):
        folder = Path(name.base).expanduser().absolute()
        try:
            with TemporaryDirectory() as linked:
                if is_saved_folder(folder):
                    saved, folder = folder, Path(linked) / "checkpoint"
                    adopt_saved_folder(saved, folder)
                result = Registry(folder.parent).load(replace(name, base=folder.name), target)
        except CheckpointError as error:
            raise CheckpointError(name.base, error.file, error.problem, error.remedy or NO_FOLDER) from error
        return replace(result, name=text)
    shipped = Registry(SHIPPED_FOLDER)
    if name.base in shipped.names():
        return shipped.load(name, target)
    store = HubStore(settings or read(HubSettings))
    added = replace(name, base=store.add(name.base, revision))
    return Registry(store.settings.root / "none", hub_models=store).load(added, target)


def _is_folder(name: str) -> bool:
    try:
        return (Path(name).expanduser() / CONFIG).is_file()
    except (OSError, ValueError, RuntimeError):  # the text is not a path
        return False
