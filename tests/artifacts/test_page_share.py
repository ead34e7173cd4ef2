"""Pages of a share: of redacted files alone, scanned again, and all of them or none on the disk."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from fake_secrets import MAKERS, Fake
from page_checks import problems, text_of
from page_sessions import ROOT, called, record, said
from sesskit.artifacts.page import Page
from sesskit.artifacts.page_folder import holds_pages, staged
from sesskit.artifacts.page_share import SharedPages, shared_pages
from sesskit.artifacts.share import Share, Shared, Wishes, share_data
from sesskit.schemas.outcomes import Valid

fake = Fake(31)
TOKEN = fake.github()
RECORD = "robota-record"
PAGES = (
    Page("index.html", b'<meta name="generator" content="sesskit 1">'),
    Page("page-1.html", b'<meta name="generator" content="sesskit 1">1'),
)


def shared(data: bytes, wishes: Wishes | None = None) -> SharedPages:
    wishes = wishes or Wishes()
    share = share_data("s.json", data, RECORD, wishes)
    assert share.files, share
    return shared_pages(share, RECORD, wishes)


def unredacted(*texts: str) -> SharedPages:
    """Pages of texts that nobody redacted: what is in them has to be found in the pages."""
    data = record([said("user", text, number) for number, text in enumerate(texts)])
    return shared_pages(Share(Valid(None), (Shared("s.json", data, ()),)), RECORD, Wishes())


def test_pages_of_a_share() -> None:
    found = shared(record([said("user", f"the token {TOKEN}", 0), *called(1, "Bash", "{}", TOKEN)]))
    assert found.left == ()
    assert TOKEN not in text_of(found.pages)
    assert text_of(found.pages).count("[github-token-1]") == 2
    assert problems(found.pages) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TOKEN, id="as it is"),
        pytest.param(f"x {TOKEN[:9]}**{TOKEN[9:20]}**{TOKEN[20:]} y", id="tags in it"),
        pytest.param(f"{TOKEN[:3]}\\{TOKEN[3:]}", id="an escape of Markdown"),
        pytest.param(f"{TOKEN[:9]}\x1b[1m{TOKEN[9:]}", id="a sequence of a terminal"),
        pytest.param(f"`{TOKEN}`", id="code"),
        pytest.param(f"[x](https://a.example/{TOKEN})", id="an address"),
    ],
)
def test_what_a_page_puts_together_is_found(text: str) -> None:
    found = unredacted("nothing here", text)
    assert found.pages == ()
    assert {one.rule for _, one in found.left} == {"github-token"}
    assert {name for name, _ in found.left} == {"index.html"}


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_of_secret_put_into_a_page_is_found(kind: str) -> None:
    secret = MAKERS[kind](Fake(7))
    for words in (f"it is {secret} there", f"```sh\nexport X={secret}\n```", f"> {secret}"):
        assert unredacted(words).pages == ()
    data = record([*called(0, "Bash", json.dumps({"command": f"use '{secret}'"}), f"{secret}\n")])
    share = Share(Valid(None), (Shared("s.json", data, ()),))
    assert len(shared_pages(share, RECORD, Wishes()).left) >= 2


def test_a_value_that_was_found_may_not_come_back() -> None:
    secret = "Zq7" + fake.letters(11)
    share = share_data(
        "s.json",
        record([said("user", f"password={secret} and PASSWORD: {secret}", 0)]),
        RECORD,
        Wishes(),
    )
    assert share.known is not None
    split = f"{secret[:6]}**{secret[6:9]}**{secret[9:]}"
    share.files = (Shared("s.json", record([said("user", f"so it is {split} again", 0)]), ()),)
    found = shared_pages(share, RECORD, Wishes())
    assert found.left
    assert secret not in repr(share)


def test_what_may_stay() -> None:
    share = Share(Valid(None), (Shared("s.json", record([said("user", TOKEN, 0)]), ()),))
    assert shared_pages(share, RECORD, Wishes(allow=frozenset({TOKEN}))).pages


def test_pictures_stay_where_that_is_asked_for() -> None:
    part = {"type": "image_inline", "mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUg=="}
    data = record([said("user", "look", 0, parts=[part])])
    assert b"<img" not in shared(data).pages[0].data
    kept = shared(data, Wishes(images=True))
    assert b"<img" in kept.pages[0].data
    assert problems(kept.pages) == []


def _files(folder: Path) -> tuple[Shared, ...]:
    """The files of a session below a folder, its log first."""
    found = sorted((p for p in folder.rglob("*") if p.is_file()), key=lambda p: len(p.parts))
    return tuple(Shared(str(p.relative_to(folder)), p.read_bytes(), ()) for p in found)


def test_a_log_with_its_sidecars_and_its_subagents() -> None:
    logs = ROOT / "tests/data/robota-log/vectors/valid"
    for name, shown in (("subagent", "Subagent "), ("spill-default", "result of")):
        share = Share(Valid(None), _files(logs / name / "log"))
        found = shared_pages(share, "robota-log", Wishes())
        assert shown in text_of(found.pages), name
        assert problems(found.pages) == []
        assert "which is not here" not in text_of(found.pages)


def test_a_compressed_log() -> None:
    path = ROOT / "tests/data/dsh-log/vectors/valid/compaction-surface-replace/session.jsonl.zstd"
    share = Share(Valid(None), (Shared(path.name, path.read_bytes(), ()),))
    found = shared_pages(share, "dsh-log", Wishes())
    assert "user" in text_of(found.pages)
    assert problems(found.pages) == []


def test_no_view_no_pages() -> None:
    share = Share(Valid(None), (Shared("x.jsonl", b"{}\n", ()),))
    assert shared_pages(share, "dsh-log", Wishes()) == SharedPages()


def _put(folder: Path, pages: Sequence[Page] = PAGES, *, overwrite: bool = False) -> None:
    with staged(str(folder), pages, overwrite=overwrite) as put:
        put()


def _here(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_of_pages(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    _put(folder)
    assert _here(folder) == ["index.html", "page-1.html"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert _here(tmp_path) == ["pages"]
    with pytest.raises(FileExistsError):
        _put(folder)
    _put(folder, PAGES[:1], overwrite=True)
    assert _here(folder) == ["index.html"]
    assert _here(tmp_path) == ["pages"]


def test_what_is_no_folder_of_pages_stays(tmp_path: Path) -> None:
    other, file, link, empty = (tmp_path / name for name in ("other", "file", "link", "empty"))
    other.mkdir()
    (other / "index.html").write_text("mine")
    file.write_text("mine")
    link.symlink_to(other)
    for place in (other, file, link):
        assert not holds_pages(place)
        with pytest.raises(FileExistsError):
            _put(place, overwrite=True)
    _put(tmp_path / "pages")
    (tmp_path / "pages" / "notes.txt").write_text("mine")
    assert not holds_pages(tmp_path / "pages")
    (tmp_path / "pages" / "notes.txt").rename(tmp_path / "pages" / "page-2.html")
    assert not holds_pages(tmp_path / "pages")
    (other / "index.html").unlink()
    (other / "index.html").mkdir()
    assert not holds_pages(other)
    empty.mkdir()
    _put(empty, overwrite=True)
    assert holds_pages(empty)


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    with staged(str(folder), PAGES, overwrite=False):
        assert len(_here(tmp_path)) == 1
    assert _here(tmp_path) == []
    _put(folder)
    before = (folder / "index.html").read_bytes()

    def full(self: Path, target: Path) -> Path:
        if self.name.endswith(".tmp") and target == folder:
            raise OSError(28, "full")
        return rename(self, target)

    rename = Path.rename
    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="full"):
        _put(folder, [Page("index.html", b"new")], overwrite=True)
    assert _here(tmp_path) == ["pages"]
    assert (folder / "index.html").read_bytes() == before
    with pytest.raises(OSError, match="full"):
        _put(tmp_path / "pages", overwrite=True)
    bad = [PAGES[0], Page("no/such/folder.html", b"")]
    with pytest.raises(FileNotFoundError):
        _put(tmp_path / "others", bad)
    assert _here(tmp_path) == ["pages"]
