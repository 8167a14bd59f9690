"""What programs and language models may ask of the server: flat arguments, plain answers."""
