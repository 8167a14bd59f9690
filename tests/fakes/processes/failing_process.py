"""A program for `torchrun` in which one process fails while the others wait for it."""

from __future__ import annotations

import torch

from models.training.process_group import process_group

REASON = "failed on purpose"


def main() -> None:
    """The second process fails; the first one waits for it."""
    with process_group(torch.device("cpu")) as (group, _):
        group.wait()
        if not group.is_first:
            raise ValueError(REASON)
        group.wait()


if __name__ == "__main__":
    main()
