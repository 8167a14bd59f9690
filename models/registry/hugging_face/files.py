"""Networks of the transformers library as checkpoints: the library's files in a subfolder.

The library is optional and imported when one of its networks is used. Its files hold no code: weights are
safetensors, and a repository's own modules are never imported.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from fnmatch import fnmatch
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from models.errors import Message, UnrolledError, reason_of
from models.registry.card import CheckpointError, other_vocabulary, unreadable, unusable
from models.registry.checkpoint import CONFIG, Checkpoint, CheckpointConfig
from models.registry.hugging_face.card import write_hugging_face_card
from models.registry.hugging_face.checks import (
    ANY_WEIGHTS,
    CHOOSE_TEXT_TO_TEXT,
    FILES_FOLDER,
    LIBRARY_CONFIG,
    check_growth,
    check_loaded,
    check_sizes,
    check_tokenizer_files,
    check_vocabulary,
    check_weights,
)
from models.registry.hugging_face.generation_fields import authors_settings, settings_to_follow
from models.registry.hugging_face.output_check import warnings_of
from models.registry.variant import language_pair, variants_of, with_variant
from models.tokenization.hugging_face import HuggingFaceTokenizer
from models.tokenization.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

ARCHITECTURE, GENERATION = "transformers", "generation_config.json"
# While the library reads a network, it patches its base class for the whole process. If two threads import
# one of its names for the first time, one of them gets an error.
LOADING_LOCK = Lock()
DEFAULT_MAX_LENGTH = 100  # tokens
READ_BYTES = 1 << 20  # read at once
ADD_AGAIN = Message("add_again", "Remove the model and add it again.")
INSTALL_LIBRARY = Message("install_library", "Install what it needs: `pip install -r requirements-hub.txt`.")
CORRUPTED = Message("corrupted", "is truncated or corrupted")
EXAMPLE_TEXTS = {
    "de": ("Das Haus ist klein.", "Ich habe das Buch gelesen, das du mir gegeben hast."),
    "en": ("The house is small.", "I have read the book that you gave me.", "He saw her with a telescope."),
    "es": ("La casa es pequeña.", "He leído el libro que me diste."),
    "fr": ("La maison est petite.", "J'ai lu le livre que tu m'as donné."),
    "zh": ("这座房子很小。", "我读了你给我的书。"),
}


def is_hugging_face(config: CheckpointConfig) -> bool:
    """Whether the network is from the transformers library. This does not import the library."""
    return config.network.get("architecture") == ARCHITECTURE


def adopt(folder: Path, name: str = "", examples: Sequence[str] = ()) -> CheckpointConfig:
    """Make a checkpoint of a folder that has the library's files in its subfolder `transformers`.

    Tries the network, and writes `config.json`, with warnings about a broken network, and a card. `name` is
    the name of the repository, `examples` are texts that the network reads well. Raises CheckpointError for
    a network that is not sequence-to-sequence, lacks weights, or needs a search that cannot be shown.
    """
    library_model = _network(folder)
    check_weights(folder.name, folder / FILES_FOLDER, library_model)
    network = _as_network(folder, library_model)
    with _errors_in_one_line(folder, GENERATION):
        # `save_pretrained` would refuse the search settings of some authors, which are not used here.
        library_model.generation_config.to_json_file(folder / FILES_FOLDER / GENERATION)
    tokenizer = _library_tokenizer(folder)
    check_vocabulary(folder.name, tokenizer, network)
    with _errors_in_one_line(folder, LIBRARY_CONFIG):
        config = _config_of(folder, library_model, network, tokenizer)
        config = replace(_with_examples(config, examples), sha256=_digests(folder))
        loaded_tokenizer = load_hugging_face_tokenizer(folder, config)
    with _errors_in_one_line(folder, FILES_FOLDER):
        network.never_ids = loaded_tokenizer.never_ids
        warnings = [warning.to_dict() for warning in warnings_of(network, loaded_tokenizer, config)]
        config = replace(config, network={**config.network, "warnings": warnings})
    with _errors_in_one_line(folder, LIBRARY_CONFIG):
        decoding = authors_settings(json.loads(_text(folder, GENERATION)))
        write_hugging_face_card(folder, config, library_model.config.to_dict(), name, decoding)
        text = json.dumps(asdict(config), indent=2, ensure_ascii=False)
        (folder / CONFIG).write_text(text + "\n", encoding="utf-8")
    return config


def _config_of(
    folder: Path, library_model: PreTrainedModel, network: Any, tokenizer: Any
) -> CheckpointConfig:
    settings = {**library_model.config.to_dict(), **json.loads(_text(folder, LIBRARY_CONFIG))}
    source, target = language_pair(tokenizer)
    return CheckpointConfig(
        network={
            "architecture": ARCHITECTURE,
            "model_type": library_model.config.model_type,
            "parameters": library_model.num_parameters(),
            "variants": asdict(variants_of(tokenizer, settings)),
        },
        vocab_size=network.vocab_size,
        task="text to text",
        source_language=source,
        target_language=target,
        max_length=min(DEFAULT_MAX_LENGTH, (network.max_positions or DEFAULT_MAX_LENGTH + 1) - 1),
    )


def load_hugging_face(folder: Path, config: CheckpointConfig, device: torch.device) -> Checkpoint:
    """Read a folder that `adopt` described. Raises CheckpointError."""
    tokenizer = load_hugging_face_tokenizer(folder, config)
    _verify(folder, config, weights=True)
    model = _as_network(folder, _network(folder), tokenizer.never_ids)
    if model.vocab_size != config.vocab_size:
        problem = other_vocabulary(model.vocab_size, config.vocab_size, CONFIG)
        raise CheckpointError(folder.name, FILES_FOLDER, problem, ADD_AGAIN)
    return Checkpoint(folder.name, config, tokenizer, model.to(device).eval())


def load_hugging_face_tokenizer(folder: Path, config: CheckpointConfig) -> Tokenizer:
    """The tokenizer, in the variant that `config` names. Raises CheckpointError."""
    _verify(folder, config, weights=False)
    library_tokenizer = _library_tokenizer(folder)
    with _errors_in_one_line(folder, GENERATION):
        model_type = str(config.network.get("model_type", ""))
        generation = settings_to_follow(json.loads(_text(folder, GENERATION)), model_type)
        tokenizer = HuggingFaceTokenizer(library_tokenizer, generation, config.vocab_size)
        return tokenizer_in_variant(
            tokenizer, config if "settled" in config.network else with_variant(config, "")
        )


def tokenizer_in_variant(tokenizer: Tokenizer, config: CheckpointConfig) -> Tokenizer:
    """The tokenizer of a checkpoint in the variant that `config` names, sharing its vocabulary.

    Raises TokenizerError for a language that it lacks.
    """
    settled: Mapping[str, Any] = config.network.get("settled", {})
    return (
        tokenizer.in_variant(**settled)
        if settled and isinstance(tokenizer, HuggingFaceTokenizer)
        else tokenizer
    )


def _network(folder: Path) -> PreTrainedModel:
    with _errors_in_one_line(folder, LIBRARY_CONFIG):
        check_sizes(folder.name, LIBRARY_CONFIG, json.loads(_text(folder, LIBRARY_CONFIG)))
    with _errors_in_one_line(folder, FILES_FOLDER), LOADING_LOCK:
        import torch
        from transformers import AutoModelForSeq2SeqLM
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        model: PreTrainedModel
        model, report = AutoModelForSeq2SeqLM.from_pretrained(
            folder / FILES_FOLDER,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # `check_loaded` reports them
        )
        check_loaded(folder.name, model, report)
        return model


def _as_network(folder: Path, library_model: PreTrainedModel, never_ids: Sequence[int] = ()) -> Any:
    from models.networks.hugging_face import HuggingFaceModel

    with _errors_in_one_line(folder, FILES_FOLDER), LOADING_LOCK:
        return HuggingFaceModel(library_model, never_ids)


def _library_tokenizer(folder: Path) -> Any:
    check_tokenizer_files(folder.name, folder / FILES_FOLDER)
    check_growth(folder.name, folder / FILES_FOLDER)
    with _errors_in_one_line(folder, FILES_FOLDER), LOADING_LOCK:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(
            folder / FILES_FOLDER, local_files_only=True, trust_remote_code=False
        )


def _digests(folder: Path) -> dict[str, str]:
    """The SHA-256 digest of each of the library's files."""
    return {
        f"{FILES_FOLDER}/{path.name}": _digest(path) for path in sorted((folder / FILES_FOLDER).iterdir())
    }


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _verify(folder: Path, config: CheckpointConfig, weights: bool) -> None:
    """Raise CheckpointError unless the adopted files are unchanged: the library ignores missing parts."""
    for name, digest in config.sha256.items():
        if fnmatch(name, ANY_WEIGHTS) != weights:
            continue
        problem = CORRUPTED
        try:
            if _digest(folder / name) == digest:
                continue
        except OSError as error:
            problem = unreadable(reason_of(error))
        raise CheckpointError(folder.name, name, problem, ADD_AGAIN)


@contextmanager
def _errors_in_one_line(folder: Path, file: str) -> Iterator[None]:
    """Turn exceptions of the library, which may be of any type, into one line with a remedy."""
    try:
        yield
    except CheckpointError:
        raise
    except ImportError as error:
        problem = Message("library_missing", "needs a library ({reason})", reason=line_of_error(error))
        raise CheckpointError(folder.name, file, problem, INSTALL_LIBRARY) from error
    except Exception as error:
        raise CheckpointError(
            folder.name, file, unusable(line_of_error(error)), CHOOSE_TEXT_TO_TEXT
        ) from error


def line_of_error(error: Exception) -> str:
    """The first line of a message of the library, or the name of its class."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, UnrolledError):
        return error.message
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")


def _text(folder: Path, file: str) -> str:
    return (folder / FILES_FOLDER / file).read_text(encoding="utf-8")


def _with_examples(config: CheckpointConfig, first: Sequence[str]) -> CheckpointConfig:
    language = with_variant(config, "").source_language
    return replace(config, examples=(*first, *EXAMPLE_TEXTS.get(language, EXAMPLE_TEXTS["en"])))
