"""Groups of widgets that several tabs share. Requests check the values, since the API uses no widgets."""
