"""The API for programs and language models: flat arguments, plain answers."""
