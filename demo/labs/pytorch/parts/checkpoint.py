"""A checkpoint of the project, read with torch alone."""

import json
import struct

import torch


def vocabulary(folder):
    """The id of each token."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    return tokenizer.get("target", tokenizer)["model"]["vocab"]


def tensors(folder):
    """The trained weights. A safetensors file: length of a JSON header, the header, the numbers (fp16)."""
    content = (folder / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    weights = {}
    for name, entry in json.loads(content[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            numbers = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float16)
            weights[name] = numbers.view(entry["shape"]).float()
    return weights
