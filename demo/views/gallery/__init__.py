"""Every checkpoint at a glance, in chapters."""
