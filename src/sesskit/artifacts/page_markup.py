"""The markup of a page: its templates, style and script, and the policy that allows these alone."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["PageExtraMissing", "asset", "ensure_extra", "frame", "parts", "policy", "trusted"]

_ASSETS: Final = "page_assets"
_NEEDED: Final = ("jinja2", "markdown_it", "nh3")


class PageExtraMissing(Exception):
    """The packages that pages are made with are not installed; the text says how to get them."""


@cache
def environment() -> Environment:
    """Templates that escape whatever they are given. Raises `PageExtraMissing`."""
    ensure_extra()
    from jinja2 import DictLoader, Environment, StrictUndefined

    sources = {name: asset(name) for name in ("page.html", "parts.html")}
    return Environment(loader=DictLoader(sources), autoescape=True, undefined=StrictUndefined)


def ensure_extra() -> None:
    """Raises `PageExtraMissing` where a package is not there."""
    from importlib.util import find_spec

    if not all(find_spec(name) for name in _NEEDED):
        raise PageExtraMissing("pages need more packages: pip install 'sesskit[page]'")


@cache
def parts() -> Any:
    """The macros of ``parts.html`` by their names; each gives markup."""
    return environment().get_template("parts.html").module


def frame(**values: Any) -> str:
    """A whole page; ``images`` says whether pictures may be in it."""
    style, script = asset("page.css"), asset("page.js")
    return (
        environment()
        .get_template("page.html")
        .render(
            style=trusted(style),
            script=trusted(script),
            policy=policy(style, script, images=values.pop("images")),
            **values,
        )
    )


def trusted(html: str) -> Markup:
    """What is markup already: made by a template, cleaned, or `escaped`."""
    from markupsafe import Markup

    return Markup(html)  # noqa: S704 - the one place where text becomes markup


@cache
def asset(name: str) -> str:
    """A file of the package, as text."""
    return files(__package__).joinpath(_ASSETS, name).read_text(encoding="utf-8")


def policy(style: str, script: str, *, images: bool) -> str:
    """What the page may do: its own style and script, and nothing that asks for anything."""
    allowed = [
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join([*allowed, "img-src data:"] if images else allowed)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
