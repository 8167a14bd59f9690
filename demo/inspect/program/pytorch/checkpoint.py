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


folder = Path(sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT)
net = json.loads((folder / "config.json").read_bytes())["network"]
weights = dict(load(folder / "model.safetensors"))
tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
tokenizer = tokenizer.get("target", tokenizer)  # some have one for each side
vocab = tokenizer["model"]["vocab"]
tokens = sorted(vocab, key=vocab.get) if isinstance(vocab, dict) else [token for token, _ in vocab]
