"""A public corpus as a folder of files to train on. It is made once and reused later."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from models.corpus.pairs import DataError, Pair
from models.corpus.public import catalogue, cleaning
from models.corpus.public.archive import read_text
from models.corpus.public.catalogue import PublicCorpus, PublicFile
from models.corpus.public.cleaning import Cleaner, Parts, split_parts
from models.corpus.public.download import MAX_DOWNLOAD_SECONDS, download
from models.corpus.public.source_note import first_line, source_note
from models.environment import cache_variable, read, variable
from models.errors import hint

TRAIN, VALID, TEST, SOURCE_NOTE = "train.tsv.gz", "valid.tsv", "test.tsv", "SOURCE.md"
DOWNLOADS = "downloads"  # the name of the folder of published files
_KEYS: dict[str, Callable[[str], str]] = {
    catalogue.SENTENCES: cleaning.key,
    catalogue.PRONUNCIATIONS: cleaning.pronunciation_key,
    catalogue.TRANSLITERATIONS: str,
}

# The name of a file, bytes so far, bytes of the whole file if known.
Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class CorpusSettings:
    """The folder of all corpora, and a mirror."""

    root: Path = cache_variable("UNROLLED_CORPORA", "corpora", "where downloaded corpora are stored")
    # The address of a folder with all the published files under their names; "" for their publishers.
    mirror: str = variable("UNROLLED_CORPORA_URL", "a mirror of the publishers' files", "", sort="a URL")


def prepare(
    name: str, *, output: Path | None = None, progress: Progress = lambda name, done, total: None
) -> Path:
    """Return the folder of a corpus: `output`, or one where `CorpusSettings` says.

    If it is missing, fetch and make the corpus. Raises DataError with a sentence that says what to do.
    """
    corpus, settings = _corpus(name), read(CorpusSettings)
    folder = output or settings.root / name
    if is_prepared(folder, name):
        return folder
    with _exclusively(settings.root, name):
        if is_prepared(folder, name):  # another process was faster
            return folder
        if corpus.second_language == "cmn":
            cleaning.simplifier()  # raises an error now, not after the download
        _Preparation(name, corpus, settings.root / DOWNLOADS, settings.mirror, progress).write(folder)
    return folder


def is_prepared(folder: Path, name: str) -> bool:
    """Whether a folder holds the whole corpus."""
    try:
        with (folder / SOURCE_NOTE).open(encoding="utf-8") as note:
            return note.readline().strip() == first_line(name) and all(
                (folder / file).is_file() for file in (TRAIN, VALID, TEST)
            )
    except (OSError, UnicodeDecodeError):
        return False


def line_counts(folder: Path) -> dict[str, int]:
    """Pairs of each file of a prepared corpus. Raises DataError."""
    counts = {}
    try:
        for name in (TRAIN, VALID, TEST):
            content = (folder / name).read_bytes()
            counts[name] = (gzip.decompress(content) if name.endswith(".gz") else content).count(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            "corpus_damaged",
            "{folder} holds a damaged corpus ({reason}): delete it and prepare it again",
            folder=folder,
            reason=error,
        ) from error
    return counts


class _Preparation:
    """The work of fetching one corpus and writing its folder."""

    def __init__(
        self, name: str, corpus: PublicCorpus, downloads: Path, mirror: str, progress: Progress
    ) -> None:
        self.name, self.corpus, self.downloads, self.mirror = name, corpus, downloads, mirror
        self.progress = progress
        self.fetched: list[Path] = []  # files that this object has downloaded

    def write(self, folder: Path) -> None:
        """Fetch the files and write the folder. If it raises DataError, there is no folder."""
        for file in self.corpus.files:
            self._fetch(file)
        try:
            cleaners, parts = self._read()
        except DataError:
            # Files that a person put there stay.
            for path in self.fetched:
                with contextlib.suppress(OSError):
                    path.unlink()
            raise
        files = {file: self._path(file) for file in self.corpus.files}
        mirror = self.mirror if self.fetched else ""
        try:
            contents = {
                TRAIN: gzip.compress(_lines(parts.train), 9, mtime=0),
                VALID: _lines(parts.valid),
                TEST: _lines(parts.test),
                SOURCE_NOTE: source_note(self.name, self.corpus, files, mirror, cleaners, parts).encode(),
            }
            for notice in (path for file, path in files.items() if file.is_notice):
                contents["LICENSE"] = notice.read_bytes()
            _write_folder(folder, contents)
        except OSError as error:
            raise DataError(
                "corpus_not_stored",
                "{folder} cannot be written ({reason}): free some space on the disk, or choose "
                "another folder",
                folder=folder,
                reason=error.strerror or error,
            ) from error

    def _url(self, file: PublicFile) -> str:
        return f"{self.mirror.rstrip('/')}/{file.name}" if self.mirror else file.url

    def _path(self, file: PublicFile) -> Path:
        return self.downloads / file.name

    def _fetch(self, file: PublicFile) -> None:
        path = self._path(file)
        if path.exists():
            return
        download(
            self._url(file),
            path,
            file.max_bytes,
            lambda fetched: read_text(fetched, file, path),
            partial(self.progress, file.name),
        )
        self.fetched.append(path)

    def _read(self) -> tuple[list[Cleaner], Parts]:
        cleaners = []
        pairs: dict[Pair, None] = {}
        for file in self.corpus.files:
            if file.is_notice:
                continue
            cleaner = self._clean(read_text(self._path(file), file), file.member or file.name)
            for pair in cleaner.pairs():
                if pair in pairs:
                    cleaner.drop("the same pair again")
                pairs[pair] = None
            cleaners.append(cleaner)
        corpus = self.corpus
        parts = split_parts(
            list(pairs), corpus.held_out, _KEYS[corpus.kind], disjoint_targets=corpus.disjoint_targets
        )
        return cleaners, parts

    def _clean(self, text: str, name: str) -> Cleaner:
        if self.corpus.kind == catalogue.PRONUNCIATIONS:
            return cleaning.clean_pronunciations(text, name)
        if self.corpus.kind == catalogue.TRANSLITERATIONS:
            return cleaning.clean_transliterations(text, name)
        return cleaning.clean_sentences(text, name, self.corpus.second_language)


def _corpus(name: str) -> PublicCorpus:
    if name in catalogue.CORPORA:
        return catalogue.CORPORA[name]
    raise DataError(
        "no_such_corpus",
        "there is no public corpus {name}; {hint}",
        name=repr(name),
        hint=hint(name, tuple(catalogue.CORPORA)),
    )


@contextmanager
def _exclusively(root: Path, name: str) -> Iterator[None]:
    """Lock the preparation of this corpus, after waiting for a process that prepares it already."""
    lock = FileLock(root / f".{name}.lock", timeout=2 * MAX_DOWNLOAD_SECONDS + 60)
    try:
        root.mkdir(parents=True, exist_ok=True)
        acquired = lock.acquire()
    except Timeout as error:
        raise DataError(
            "corpus_busy",
            "another process prepares {name} and does not end: stop it, then try again",
            name=name,
        ) from error
    except OSError as error:
        raise DataError(
            "corpora_not_writable",
            "{folder} cannot be written ({reason}): choose another folder by UNROLLED_CORPORA",
            folder=root,
            reason=error.strerror or error,
        ) from error
    with acquired:
        yield


def _write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write all files in one step, so that no folder has only some of them. Raises DataError, OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        unfinished.chmod(0o755)
        for name, content in contents.items():
            (unfinished / name).write_bytes(content)
        with contextlib.suppress(OSError):
            folder.rmdir()  # succeeds only for an empty folder
        if folder.exists():
            raise DataError(
                "corpus_folder_taken",
                "{folder} holds other files: choose an empty folder, or remove this one first",
                folder=folder,
            )
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _lines(pairs: Sequence[Pair]) -> bytes:
    return "".join(f"{source}\t{target}\n" for source, target in pairs).encode()
