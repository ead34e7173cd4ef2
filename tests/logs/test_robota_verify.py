"""Verifying, auditing, migrating a log, and rebuilding other files from it."""

from __future__ import annotations

import codecs
import hashlib
import json
import shutil
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VALID, VECTORS, prepare, rows
from sesskit.logs import sidecar_prefetch
from sesskit.logs.prompt_history import Prompt
from sesskit.logs.robota_log import SidecarOptions, examine_log
from sesskit.logs.robota_log_migration import migrate_log
from sesskit.logs.robota_ports import DirectorySink
from sesskit.logs.robota_rebuild import Rebuilt, prompts_of_log, rebuild_record
from sesskit.logs.robota_verify import audit_log, verify_log
from sesskit.logs.robota_writer import SessionLogger
from sesskit.records.format import Options
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Corrupt, Missing, Valid
from sesskit.schemas.robota_decode import decode_envelope

DAMAGED = [row for row in rows("damaged.jsonl") if row["mode"] == "load"]


def spilled(tmp_path: Path) -> Path:
    base = tmp_path / "log"
    shutil.copytree(VECTORS / "valid" / "spill-nested" / "log", base)
    for path in [base, *base.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    return base / "spill-nested.jsonl"


def test_a_sound_log(tmp_path: Path) -> None:
    found = verify_log(spilled(tmp_path))
    assert found.issues == ()
    assert not found.broken
    assert (found.lines, found.sidecars) == (6, 10)
    assert found.listing.orphans == ()


def test_what_is_wrong_beside_a_log(tmp_path: Path) -> None:
    log = spilled(tmp_path)
    log.chmod(0o644)
    (log.parent / "spill-nested.payloads" / "extra.json").write_bytes(b"1")
    (log.parent / "spill-nested.payloads" / "extra.json").chmod(0o600)
    found = verify_log(log)
    assert [issue.code for issue in found.issues] == ["mode-open", "payload-orphan"]
    assert not found.broken


@pytest.mark.parametrize("row", DAMAGED, ids=lambda row: row["id"])
def test_threads_change_no_answer(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecar_prefetch, "LARGE_BYTES", 0)
    log = prepare(tmp_path, row)
    names = {"maxDepth": "max_depth", "maxTotalBytes": "max_total_bytes"}
    sidecars = SidecarOptions(**{names[k]: v for k, v in row.get("options", {}).items()})
    plain = examine_log(log, Options(keep=False), sidecars=sidecars)
    for workers in (1, 4):
        found = verify_log(log, sidecars=sidecars, workers=workers)
        assert found.outcome == plain
        complete = row["expect"].get("validation", {}).get("ok", False)
        assert [item.code for item in found.incomplete] == [
            issue["code"] for issue in row["expect"].get("validation", {}).get("issues", [])
        ]
        errors = any(issue.severity == "error" for issue in found.issues)
        assert found.broken == (errors or not isinstance(plain, Valid))
        assert not complete or not found.incomplete


def test_an_incomplete_log(tmp_path: Path) -> None:
    (log,) = (VECTORS / "valid" / "denials-redacted" / "log").glob("*.jsonl")
    found = verify_log(log)
    (issue,) = (issue for issue in found.issues if issue.severity == "error")
    assert (issue.code, issue.line) == ("replay-no-result", 16)
    assert found.broken
    assert isinstance(verify_log(tmp_path / "none.jsonl").outcome, Missing)


def test_auditing_a_log_with_sidecars(tmp_path: Path) -> None:
    """What was spilled is audited as if it were in its line."""
    base = VECTORS / "audit" / "logs" / "tool-turn" / "tool-turn.jsonl"
    outcome, found = audit_log(base)
    assert isinstance(outcome, Valid)
    assert found == ()
    from sesskit.logs.robota_payloads import reference_text

    lines = base.read_bytes().split(b"\n")
    value = json.loads(lines[19])
    text = dumps(value["messages"])
    digest, reference = reference_text("tool-turn", text)
    value["messages"] = json.loads(reference)
    lines[19] = dumps(value)
    (tmp_path / "tool-turn.payloads").mkdir()
    (tmp_path / "tool-turn.payloads" / f"{digest}.json").write_bytes(text)
    log = tmp_path / "tool-turn.jsonl"
    log.write_bytes(b"\n".join(lines))
    assert audit_log(log)[1] == ()
    (tmp_path / "tool-turn.payloads" / f"{digest}.json").unlink()
    outcome, _ = audit_log(log)
    assert isinstance(outcome, Corrupt)


def test_audit_of_a_damaged_log(tmp_path: Path) -> None:
    row = next(row for row in rows("audit/broken.jsonl") if row["id"] == "prompt-length-off")
    log = prepare(tmp_path, row, VECTORS / "audit" / "logs" / row["base"])
    log.write_bytes(log.read_bytes() + b"{broken\n")
    outcome, found = audit_log(log)
    assert isinstance(outcome, Corrupt)
    assert [issue.code for issue in found] == ["prompt-length"]
    assert audit_log(log, ignore=["prompt-length"])[1] == ()
    assert audit_log(log, rules=["init-first"])[1] == ()


def older(line: bytes) -> bytes:
    """A line as builds wrote it before there was a version: envelope first."""
    value = json.loads(line)
    head = {name: value.pop(name) for name in ("timestamp", "sessionId", "event")}
    del value["schemaVersion"]
    return json.dumps({**head, **value}, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("name", [name for name in VALID if name != "text-oddities"])
def test_migration(name: str, tmp_path: Path) -> None:
    source, target = tmp_path / "old", tmp_path / "new"
    shutil.copytree(VECTORS / "valid" / name / "log", source)
    target.mkdir()
    log = sorted(source.glob("*.jsonl"))[0]
    expected = examine_log(log)
    lines = [line for line in log.read_bytes().split(b"\n") if line]
    log.write_bytes(b"".join(older(line) + b"\n" for line in lines))
    assert isinstance(examine_log(log), Corrupt)
    report = migrate_log(log, target / log.name)
    assert (report.changed, report.kept, report.lost) == (len(lines), 0, [])
    assert report.whole
    migrated = examine_log(target / log.name)
    assert isinstance(migrated, Valid)
    assert isinstance(expected, Valid)
    assert migrated.value == expected.value
    assert stat.S_IMODE((target / log.name).stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        migrate_log(log, target / log.name)


def test_what_cannot_be_migrated_is_listed(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    good = {"timestamp": "2026-08-01T00:00:00.000Z", "sessionId": "s", "event": "user"}
    message = {"role": "user", "content": "no id, no state, no time"}
    lines = [
        json.dumps({**good, "content": "old"}),
        json.dumps({**good, "schemaVersion": 1, "content": "new"}),
        "",
        json.dumps({**good, "event": "history_mutation", "mutation": "append_message", "index": 0,
                    "message": message}),
        "{broken",
        json.dumps({**good, "schemaVersion": 2, "content": "later"}),
    ]  # fmt: skip
    log.write_text("\n".join(lines) + "\n")
    report = migrate_log(log, tmp_path / "new.jsonl")
    assert (report.changed, report.kept, report.lost) == (1, 1, [4, 5, 6])
    assert {(issue.line, issue.path) for issue in report.issues} == {
        (4, "message.id"),
        (4, "message.state"),
        (4, "message.timestamp"),
        (5, ""),
        (6, "schemaVersion"),
    }
    outcome = examine_log(tmp_path / "new.jsonl")
    assert isinstance(outcome, Valid)
    assert [event.content for event in outcome.value] == ["old", "new"]


@pytest.mark.parametrize("name", ["chat-small", "stream-tools", "spill-nested", "every-event"])
def test_a_rebuilt_record_is_a_record(name: str) -> None:
    (log,) = (VECTORS / "valid" / name / "log").glob("*.jsonl")
    rebuilt = rebuild_record(log)
    assert isinstance(rebuilt, Rebuilt)
    data = dumps({"schemaVersion": 1, "record": rebuilt.record})
    outcome = decode_envelope(data)
    assert isinstance(outcome, Valid), outcome
    assert outcome.value == rebuilt.record
    assert any("not in a log" in loss for loss in rebuilt.losses)


def test_answers_broken_off_are_said_to_be_lost() -> None:
    logs = sorted((VECTORS / "audit" / "logs").glob("*/*.jsonl"))
    partial = {}
    for log in logs:
        rebuilt = rebuild_record(log)
        assert isinstance(rebuilt, Rebuilt)
        partial[log.parent.name] = sum("broken off" in loss for loss in rebuilt.losses)
    broken_off = {name for name, count in partial.items() if count}
    assert broken_off == {"aborted-stream", "shutdown-in-turn"}


def test_no_record_without_messages(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"")
    assert rebuild_record(log) is None
    log.write_bytes(b"{}\n")
    assert isinstance(rebuild_record(log), Corrupt)


def test_prompts_of_a_log() -> None:
    logs = VECTORS / "audit" / "logs"
    found = prompts_of_log(logs / "origins-and-reminders" / "origins-and-reminders.jsonl")
    assert isinstance(found, list)
    assert [prompt.text for prompt in found] == ["Which berth is free?", "Who wrote that?"]
    assert found[0] == Prompt(
        "2026-10-11T09:00:00.007Z", "origins-and-reminders", "/srv/harbour", "Which berth is free?"
    )
    assert isinstance(prompts_of_log(logs), object)


def old_log_with_sidecar(folder: Path) -> tuple[Path, str]:
    """A log without versions of one line that refers to a sidecar, and the sidecar's name."""
    folder.mkdir()
    with SessionLogger(DirectorySink(folder), spill_bytes=8) as logger:
        logger.log("s", "user", {"content": "longer than eight"})
    log = folder / "s.jsonl"
    log.write_bytes(older(log.read_bytes().strip()) + b"\n")
    (sidecar,) = (folder / "s.payloads").iterdir()
    return log, sidecar.name


def test_a_folder_that_was_named_keeps_its_rights(tmp_path: Path) -> None:
    log, name = old_log_with_sidecar(tmp_path / "old")
    target = tmp_path / "new"
    target.mkdir()
    target.chmod(0o1777)
    migrate_log(log, target / "x.jsonl")
    assert stat.S_IMODE(target.stat().st_mode) == 0o1777
    assert stat.S_IMODE((target / "s.payloads").stat().st_mode) == 0o700
    assert (target / "s.payloads" / name).read_bytes() == b'"longer than eight"'


@pytest.mark.parametrize("kind", ["other bytes", "link"])
def test_a_sidecar_in_the_way_leaves_no_log(tmp_path: Path, kind: str) -> None:
    log, name = old_log_with_sidecar(tmp_path / "old")
    target = tmp_path / "new"
    target.mkdir()
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        (target / "s.payloads").symlink_to(tmp_path / "elsewhere")
    else:
        (target / "s.payloads").mkdir()
        (target / "s.payloads" / name).write_bytes(b"other")
    with pytest.raises(OSError, match="payloads") as refused:
        migrate_log(log, target / "s.jsonl")
    assert str(refused.value.filename).endswith(name)
    assert [path.name for path in target.iterdir()] == ["s.payloads"]
    assert list(tmp_path.glob("elsewhere/*")) == []


def test_what_is_not_carried_stands_where_the_file_has_it(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    good = '{"timestamp":"2026-08-01T00:00:00.000Z","sessionId":"s","event":"user","content":"x"}'
    bad = '  {"timestamp":"2026-08-01T00:00:00.000Z","sessionId":"s","event":"user","content":5}'
    log.write_bytes(codecs.BOM_UTF8 + f"{good}\n{bad}\n{{}}\n{good[:-1]}".encode())
    report = migrate_log(log, tmp_path / "new.jsonl")
    assert (report.changed, report.marked, report.lost) == (1, True, [2, 3, 4])
    first = report.issues[0]
    assert (first.line, first.column) == (2, bad.index(":5}") + 2)
    assert {(i.line, i.column) for i in report.issues if i.line == 3} == {(3, 1)}
    assert (tmp_path / "new.jsonl").read_bytes().startswith(b'{"schemaVersion":1,')


def test_large_sidecars_are_held_one_at_a_time(tmp_path: Path) -> None:
    size, count = 400_000, 30
    (tmp_path / "s.payloads").mkdir()
    envelope = {"schemaVersion": 1, "timestamp": "2026-10-04T09:15:00.137Z", "sessionId": "s"}
    with (tmp_path / "s.jsonl").open("w") as stream:
        for number in range(count):
            data = json.dumps(f"{number} " + "y" * size).encode()
            digest = hashlib.sha256(data).hexdigest()
            path = f"s.payloads/{digest}.json"
            (tmp_path / path).write_bytes(data)
            reference: dict[str, Any] = {
                "kind": "external-payload",
                "encoding": "json",
                "sha256": digest,
            }
            reference |= {"byteLength": len(data), "relativePath": path}
            line = {"content": reference, **envelope, "event": "user"}
            stream.write(json.dumps(line, separators=(",", ":")) + "\n")
    tracemalloc.start()
    found = verify_log(tmp_path / "s.jsonl", workers=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.outcome.status, found.sidecars) == ("valid", count)
    assert peak < 8 * size
