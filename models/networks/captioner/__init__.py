"""Pictures to captions: how a captioner is described, and its layers."""
