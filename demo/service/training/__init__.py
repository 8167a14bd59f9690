"""What a visitor asks of training: the fields of the form, presets, the data, and the run made of them."""
