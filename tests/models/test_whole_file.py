"""Files that are read as a whole."""

from __future__ import annotations

import errno
import re
import tracemalloc
from pathlib import Path

import pytest

from models.whole_file import read_bytes


def test_a_file_takes_the_memory_of_its_size_whatever_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"{}" * 1000)
    tracemalloc.start()
    content = read_bytes(path, 1 << 30)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert content == b"{}" * 1000
    assert peak < 100_000


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"{}")
    assert read_bytes(path, 2) == b"{}"
    with pytest.raises(OSError, match=re.escape(str(path))) as error:
        read_bytes(path, 1)
    assert error.value.errno == errno.EINVAL
