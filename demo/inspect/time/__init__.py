"""Views over the steps of a decoding: contributions, units over time, gradients through time."""
