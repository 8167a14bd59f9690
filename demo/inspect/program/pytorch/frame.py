# TITLE
import json
import math
import sys
from pathlib import Path

import torch

# IMPORT

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "checkpoints/NAME")
SOURCE = []  # ids of the tokens that were read
OUTPUT = []  # ids of the tokens that were written
TOKENS = []
START = 0  # id of the decoder's first input


def load(path):
    """The weights of a file: 8 bytes of length, a header of JSON, then the numbers."""
    data = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    types = {"F16": torch.float16, "F32": torch.float32, "BF16": torch.bfloat16}
    for name, entry in json.loads(data[8:begin]).items():
        if name != "__metadata__":
            first, last = (begin + offset for offset in entry["data_offsets"])
            numbers = torch.frombuffer(data[first:last], dtype=types[entry["dtype"]])
            yield name, numbers.view(entry["shape"]).float()


net = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))["network"]
weights = dict(load(FOLDER / "model.safetensors"))
output_log_probs = []
for token, log_prob in zip(TOKENS, output_log_probs, strict=True):
    print(f"{token}\t{log_prob:.6f}\t{math.exp(log_prob):.1%}")
print(f"log-probability\t{math.fsum(output_log_probs):.6f}")
