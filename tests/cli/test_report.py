"""Reports: what counts, the exit code, the text a person sees, the JSON a program reads."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from sesskit.cli.output import OUTPUTS, Display, render
from sesskit.cli.report import SEVERITIES, STATUSES, Entry, Report, Rules, entry_of, fails
from sesskit.cli.report_json import as_json, report_object
from sesskit.cli.report_schema import SCHEMA
from sesskit.cli.report_text import URGENCY, as_text, next_command
from sesskit.cli.screen import Screen, one_line, screen_of
from sesskit.logs.formats import Finding
from sesskit.records.format import Recognition
from sesskit.schemas.issues import Issue, Severity
from sesskit.schemas.outcomes import (
    Corrupt,
    Missing,
    Original,
    Outcome,
    Unreadable,
    Unrecognized,
    Unsupported,
    Valid,
)

CHECKED = Draft202012Validator(SCHEMA)
SOURCE = b"""{
  "schemaVersion": 1,
  "record": {
    "messages": [
      {"role": "user", "content": null, "password": "hunter2", "n": 12}
    ],
    "goal": {"owner": "me"}
  }
}
"""


def issue(
    code: str = "type", severity: Severity = "error", text: bytes = b"null", **more: Any
) -> Issue:
    """An issue at the place of a text in SOURCE."""
    offset = SOURCE.index(text)
    line = SOURCE.count(b"\n", 0, offset) + 1
    column = offset - SOURCE.rfind(b"\n", 0, offset)
    keys = more.pop("keys", ("record", "messages", 0, "content"))
    message = str(more.pop("message", "expected text, found null"))
    made = Issue(code, message, severity, keys=keys, **more)
    return made.placed(offset, line, column)


def finding(path: str, outcome: Outcome, name: str = "robota-record") -> Finding:
    if isinstance(outcome, Missing | Unreadable | Unrecognized):
        return Finding(path, outcome)
    return Finding(path, outcome, name, Recognition("certain", ""), (), SOURCE)


REFUSED = Original("reject", "CORRUPT")
TYPE = issue(expected="text", found="null")
UNKNOWN = issue(
    "member-unknown",
    text=b'"owner"',
    keys=("record", "goal", "owner"),
    at_key=True,
    message="no such member",
)
SECRET = issue(text=b'"hunter2"', keys=("record", "messages", 0, "password"), message="wrong")
WARNING = issue("instant-zoneless", "warning", b"12", message="date-time without a zone")
TEXT_FAULT = Issue("json-syntax", "it is not JSON", line=9, column=2, offset=len(SOURCE) + 50)
MANY = tuple(issue(keys=("record", "messages", n, "content")) for n in range(500))

FINDINGS = {
    "valid": [finding("a.json", Valid(None, version=1, original=Original("accept")))],
    "valid-with-warning": [finding("a.json", Valid(None, (WARNING,), 1))],
    "corrupt": [finding("plan.json", Corrupt((TYPE, UNKNOWN), 1, original=REFUSED))],
    "secret": [finding("a.json", Corrupt((SECRET,), 1))],
    "no-place": [finding("-", Corrupt((Issue("json-empty", "the file is empty"), TEXT_FAULT)))],
    "other-places": [
        finding(
            "a.jsonl.zstd",
            Corrupt(
                (
                    Issue("type", "wrong", line=4, column=7, offset=99, frame=2),
                    Issue("type", "wrong", offset=12_345),
                    Issue("sha", "wrong", line=3, sidecar="ab.json", seq=7, keys=("data", "x")),
                )
            ),
        )
    ],
    "unsupported": [
        finding("new.json", Unsupported(2, (1,), original=Original("unsupported"))),
        finding("odd.json", Unsupported(None, (1,), original=Original("unsupported"))),
    ],
    "bare": [
        finding(
            "old.json",
            Valid(None, original=Original("unsupported")),
            "robota-record-bare",
        )
    ],
    "repairable": [
        finding("a.jsonl", Corrupt((TYPE,), 3, original=Original("accept-with-repair")))
    ],
    "undecoded": [
        finding("nowhere.json", Missing()),
        finding("/dev/zero", Unreadable("it is a device, not a regular file")),
        finding("it has spaces.png", Unrecognized("a PNG image")),
    ],
    "many": [finding("a.json", Corrupt((*MANY, UNKNOWN), 1))],
    "long-path": [finding("folder/" * 12 + "a.json", Corrupt((TYPE,), 1))],
    "mixed": [
        finding("a.json", Valid(None, version=1, original=Original("accept"))),
        finding("b.json", Corrupt((TYPE,), 1, original=REFUSED)),
        finding("c.json", Valid(None, version=1, original=Original("accept"))),
    ],
    "hostile-names": [
        finding("\x1b[31mred\u202e.json\udcff", Missing()),
        finding("a\nb.json", Corrupt((issue(keys=("x\x1b]0;y\x07", "z" * 500)),))),
    ],
    "thirty": [
        finding(f"{n}.json", Corrupt((TYPE,), 1) if n == 7 else Valid(None, version=1))
        for n in range(30)
    ],
}


PLAIN = Rules()


def report(name: str, rules: Rules = PLAIN, **more: Any) -> Report:
    entries = tuple(entry_of(one, rules) for one in FINDINGS[name])
    return Report(entries, rules, **more)


@pytest.mark.parametrize("name", FINDINGS)
def test_text(name: str, snapshot: SnapshotAssertion) -> None:
    text = as_text(report(name), Display(max_issues=3))
    assert text == snapshot
    assert text.isprintable() or not {c for c in text if not c.isprintable()} - {"\n"}
    assert "hunter2" not in text


@pytest.mark.parametrize("name", sorted(set(FINDINGS) - {"long-path"}))
def test_text_fits_eighty_columns(name: str) -> None:
    lines = as_text(report(name), Display()).splitlines()
    assert [line for line in lines if len(line) > 80 and "zzz" not in line] == []


@pytest.mark.parametrize("name", ["corrupt", "mixed"])
def test_text_with_colour(name: str, snapshot: SnapshotAssertion) -> None:
    text = as_text(report(name), Display(screen=Screen(80, colour=True)))
    assert text == snapshot


@pytest.mark.parametrize("name", FINDINGS)
def test_json_keeps_to_its_schema(name: str) -> None:
    text = as_json(report(name, skipped=3), Display())
    shown = json.loads(text)
    assert list(CHECKED.iter_errors(shown)) == []
    assert [file["path"] for file in shown["files"]] == [one.path for one in FINDINGS[name]]
    assert sum(shown["summary"][status] for status in ("valid", "corrupt")) <= len(FINDINGS[name])
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_every_status_has_its_urgency() -> None:
    assert sorted(URGENCY) == sorted(STATUSES)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_refuses_other_members() -> None:
    shown = report_object(report("corrupt"))
    shown["files"][0]["further"] = "members are welcome"
    assert CHECKED.is_valid(shown)
    shown["files"][0]["issues"][0]["further"] = "members are not"
    assert not CHECKED.is_valid(shown)


def test_json(snapshot: SnapshotAssertion) -> None:
    assert report_object(report("corrupt", skipped=2)) == snapshot
    assert report_object(report("undecoded")) == snapshot


def test_json_carries_all_issues() -> None:
    shown = report_object(report("many"))
    assert len(shown["files"][0]["issues"]) == 501
    assert shown["summary"]["issues"] == {"error": 501, "warning": 0, "info": 0}


def test_further_members_and_lines() -> None:
    rules = Rules()
    entry = entry_of(
        FINDINGS["valid"][0], rules, members={"counts": {"messages": 3}}, body=("  3 messages",)
    )
    whole = Report((entry,), rules)
    assert report_object(whole)["files"][0]["counts"] == {"messages": 3}
    assert "\n  3 messages\n" in as_text(whole, Display())


def test_quiet_shows_problems_only() -> None:
    assert as_text(report("valid"), Display(quiet=True)) == ""
    text = as_text(report("mixed"), Display(quiet=True))
    assert "b.json" in text
    assert "a.json" not in text
    assert "files:" not in text


def test_nothing_to_say() -> None:
    assert as_text(Report(()), Display()) == ""


def test_no_more_than_asked_for_is_shown() -> None:
    text = as_text(report("many"), Display(max_issues=0))
    assert "500 more: record.messages[*].content (500)" in text
    assert "-->" not in text


@pytest.mark.parametrize(
    ("names", "command"),
    [
        ("valid", "sesskit inspect a.json"),
        ("valid bare", "sesskit migrate --dry-run old.json"),
        ("valid valid", ""),
        ("undecoded corrupt", "sesskit explain type"),
        ("bare undecoded", "sesskit validate --format NAME 'it has spaces.png'"),
        ("valid unsupported", "sesskit explain version-unsupported"),
    ],
)
def test_the_next_command(names: str, command: str) -> None:
    entries = [entry for name in names.split() for entry in report(name).entries]
    assert next_command(Report(tuple(entries))) == command


def test_members_that_should_not_be_there_are_counted_together() -> None:
    names = [issue("member-unknown", at_key=True, keys=("record", f"k{n}")) for n in range(9)]
    one = finding("a.json", Corrupt(tuple(names)))
    text = as_text(Report((entry_of(one, PLAIN),)), Display(max_issues=1))
    assert "error[member-unknown]  8 more: record.* (8)" in text


NO_ERRORS = finding("a.json", Valid(None, (WARNING, issue("note", "info")), 1))
EXITS = [
    ("valid", Rules(), 0),
    ("valid-with-warning", Rules(), 0),
    ("valid-with-warning", Rules(fail_on="warning"), 1),
    ("valid-with-warning", Rules(fail_on="info"), 1),
    ("valid-with-warning", Rules("warning", frozenset({"instant-zoneless"})), 0),
    ("corrupt", Rules(), 1),
    ("corrupt", Rules(exit_zero=True), 0),
    ("corrupt", Rules(ignore=frozenset({"type"})), 1),
    ("corrupt", Rules(ignore=frozenset({"type", "member-unknown"})), 1),
    ("undecoded", Rules(ignore=frozenset({"unreadable", "missing", "unrecognized"})), 1),
    ("unsupported", Rules(), 1),
    ("unsupported", Rules(ignore=frozenset({"type"})), 1),
    ("bare", Rules(), 0),
    ("undecoded", Rules(), 1),
    ("undecoded", Rules(exit_zero=True), 0),
    ("mixed", Rules(), 1),
]


@pytest.mark.parametrize(("name", "rules", "code"), EXITS)
def test_exit_codes(name: str, rules: Rules, code: int) -> None:
    assert report(name, rules).exit_code == code


def test_an_empty_folder_is_bad_usage_unless_there_is_worse() -> None:
    assert report("valid", empty=("d",)).exit_code == 2
    assert report("corrupt", empty=("d",)).exit_code == 1
    assert report("corrupt", Rules(exit_zero=True), empty=("d",)).exit_code == 2


def test_ignored_issues_are_counted_and_change_no_status() -> None:
    rules = Rules(ignore=frozenset({"type"}))
    shown = report_object(report("corrupt", rules))
    assert shown["files"][0]["status"] == "corrupt"
    assert shown["summary"]["issues"]["error"] == 1
    assert "corrupt: 1 error, 1 ignored" in as_text(report("corrupt", rules), Display())


ISSUES = st.builds(
    Issue,
    st.just("type"),
    st.text(max_size=30),
    st.sampled_from(SEVERITIES),
    keys=st.lists(st.text(max_size=8) | st.integers(0, 9), max_size=4).map(tuple),
    line=st.none() | st.integers(1, 5),
    column=st.none() | st.integers(1, 99),
    offset=st.none() | st.integers(0, 300),
    at_key=st.booleans(),
)


@given(
    st.text(), st.lists(ISSUES, max_size=5), st.binary(max_size=300), st.sampled_from([*OUTPUTS])
)
def test_any_issue_can_be_shown(path: str, issues: list[Issue], source: bytes, output: str) -> None:
    one = Finding(path, Corrupt(tuple(issues)), "robota-record", None, (), source)
    text = render(Report((entry_of(one, Rules()),)), Display(output))
    assert not {c for c in text if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}
    if output == "json":
        assert CHECKED.is_valid(json.loads(text))


def test_rules_and_entries() -> None:
    entry = entry_of(NO_ERRORS, Rules())
    assert isinstance(entry, Entry)
    assert dict(entry.counts) == {"warning": 1, "info": 1}
    assert not fails(entry, Rules())
    assert fails(entry, Rules("warning"))
    assert Rules("warning").thorough
    assert not Rules().thorough


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "no_color", "expected"),
    [
        ({}, False, Screen(100, True)),
        ({}, True, Screen(100, False)),
        ({"NO_COLOR": "1"}, False, Screen(100, False)),
        ({"NO_COLOR": ""}, False, Screen(100, True)),
        ({"TERM": "dumb"}, False, Screen(100, False)),
        ({"COLUMNS": "20"}, False, Screen(40, True)),
        ({"COLUMNS": "900"}, False, Screen(140, True)),
    ],
)
def test_screens(
    environment: dict[str, str], no_color: bool, expected: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"NO_COLOR": "", "TERM": "xterm", "COLUMNS": "100", **environment}.items():
        monkeypatch.setenv(name, value)
    assert screen_of(Terminal(), no_color=no_color) == expected
    assert screen_of(io.StringIO()) == Screen(80, False)


def test_columns_of_wide_names_stand_below_each_other() -> None:
    found = [finding(name, Valid(None, version=1)) for name in ("세션.json", "session.json")]
    text = as_text(Report(tuple(entry_of(one, PLAIN) for one in found)), Display())
    assert text.startswith("세션.json      robota-record")
    assert "\nsession.json   robota-record" in text


def test_one_line() -> None:
    assert one_line("a b") == "a b"
    assert "\n" not in one_line("a\nb")
    assert "\x1b" not in one_line("\x1b[1m")


def test_excerpts_come_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(SOURCE)
    one = Finding(str(path), Corrupt((TYPE,)), "robota-record")
    whole = Report((entry_of(one, Rules()),))
    assert "5 | " in as_text(whole, Display())
    path.unlink()
    assert "5 | " not in as_text(whole, Display())
    path.mkdir()
    assert "5 | " not in as_text(whole, Display())
