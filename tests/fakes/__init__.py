"""Stand-ins: models that can be computed by hand, local servers, hand-made records."""
