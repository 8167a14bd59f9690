"""A table that a visitor uploads, and the roles of its columns above its first rows."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

TABLE = (
    "source_lang,source,reference,ours\n"
    "es,Me gusta la música.,I like the music.,I like music.\n"
    "es,Bebo café.,I drink coffee.,I drink coffee.\n"
    "es,¿Dónde está?,Where is it?,Where?\n"
    "es,Adiós.,Goodbye.,So long.\n"
)


def upload(page: Page, field: str, path: Path, text: str) -> None:
    """Write a file and upload it to an empty field."""
    path.write_text(text, encoding="utf-8")
    page.locator(f"{field} input[type=file]").set_input_files(path)


def expect_columns(page: Page, area: str, roles: list[str]) -> None:
    """Expect the roles above the rows of a table."""
    expect(page.locator(f"{area} .cl[data-state='table']")).to_be_visible()
    heads = page.locator(f"{area} select")
    expect(heads).to_have_count(len(roles))
    for number, role in enumerate(roles):
        expect(heads.nth(number)).to_have_value(role)
