"""Training by visitors: the form, presets, data, and the runs made of them."""
