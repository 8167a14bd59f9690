"""The share that an address has of the disk for uploaded files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from demo.server.gate import uploads as uploads_module
from demo.server.gate.uploads import FILES_OF_ONE, MIN_FILE_BYTES, Uploads

SIZE = 2 * MIN_FILE_BYTES  # bytes of the largest file
GREEDY, OTHER = "203.0.113.1", "198.51.100.1"


class Disk:
    """A disk of some bytes, with the files of all visitors in a folder."""

    def __init__(self, folder: Path, size: int, largest: int = SIZE) -> None:
        self.folder, self._size, self._count = folder, size, 0
        self.uploads = Uploads(largest, spare_disk=1)

    def free(self) -> int:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return self._size - sum(path.stat().st_size for path in files)

    def upload(self, address: str, size: int = SIZE, name: str = "") -> Path | None:
        if not self.uploads.has_room(address):
            return None
        self._count += 1
        path = self.folder / (name or str(self._count)) / "pairs.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * size)
        self.uploads.note(address, json.dumps([str(path)]).encode())
        return path


def is_there(path: Path | None) -> bool:
    return path is not None and path.exists()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk(tmp_path, 10 * FILES_OF_ONE * SIZE)
    monkeypatch.setattr(uploads_module, "free_disk", lambda: disk.free())
    return disk


def test_fifteen_files_of_one_address_leave_room_for_others(disk: Disk) -> None:
    first = disk.upload(OTHER)
    paths = [disk.upload(GREEDY) for _ in range(15)]
    assert [is_there(path) for path in paths] == [False] * 10 + [True] * FILES_OF_ONE
    assert is_there(first)
    assert len(list(disk.folder.iterdir())) == 1 + FILES_OF_ONE  # no empty folders either


def test_a_full_disk_takes_from_the_address_that_has_the_most(disk: Disk) -> None:
    disk._size = 4 * SIZE
    assert all(disk.upload(GREEDY) for _ in range(4))
    for _ in range(2):
        own_file = disk.upload(OTHER)
        assert is_there(own_file)
    assert disk.upload(OTHER) is None  # both have as much
    assert disk.upload("192.0.2.9") is not None


def test_a_disk_that_uploads_did_not_fill_takes_no_files_away(disk: Disk) -> None:
    own_file = disk.upload(OTHER, MIN_FILE_BYTES)
    disk._size = 0
    assert disk.upload(GREEDY) is None
    assert is_there(own_file)


def test_a_content_that_another_address_sent_again_is_its_own(disk: Disk) -> None:
    disk.upload(GREEDY, name="same")
    again = disk.upload(OTHER, name="same")
    for _ in range(3 * FILES_OF_ONE):
        disk.upload(GREEDY)
    assert is_there(again)


def test_tiny_files_count_too(disk: Disk) -> None:
    paths = [disk.upload(GREEDY, 1) for _ in range(3 * FILES_OF_ONE)]
    assert sum(is_there(path) for path in paths) == FILES_OF_ONE * SIZE // MIN_FILE_BYTES


@pytest.mark.parametrize("answer", [b"", b"{}", b"[1, null]", b"not json", b'["/nowhere/at/all"]'])
def test_an_answer_without_files_is_ignored(disk: Disk, answer: bytes) -> None:
    disk.uploads.note(GREEDY, answer)
    assert disk.uploads._files == {}
