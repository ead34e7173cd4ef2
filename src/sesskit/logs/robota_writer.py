"""The Robota session logger: one event, one line, with an envelope nobody can override.

Secrets go before anything is written, big values go into sidecars, text deltas wait in memory for
the next other event. What cannot be written is reported and does not stop the session.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from sesskit.logs.log_files import SidecarCorrupt
from sesskit.logs.robota_payloads import (
    REDACTED,
    TooDeep,
    iso_text,
    javascript_order,
    member_texts,
    reference_text,
)
from sesskit.logs.robota_ports import LogSink, Report, default_report, reason
from sesskit.records.files import safe_segment
from sesskit.schemas.ecmascript import dumps

SCHEMA_VERSION = 1
SPILL_BYTES = 32_768
"""A value whose text is longer than this goes into a sidecar."""

DELTA_UNITS = 65_536
"""How many UTF-16 units of ``text_delta`` lines wait in memory."""

ENVELOPE = ("schemaVersion", "timestamp", "sessionId", "event")

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class SessionLogger:
    """Writes the log lines of any number of sessions to one sink. Safe for threads.

    ``spill_bytes`` is the longest text of a value that stays in its line, ``redacted`` what
    stands in place of a secret, ``report`` is told what could not be done. A context manager;
    what still waits is written when it is closed, at the latest when the process ends.
    """

    def __init__(
        self,
        sink: LogSink,
        *,
        clock: Clock = _now,
        spill_bytes: int = SPILL_BYTES,
        redacted: str = REDACTED,
        report: Report = default_report,
    ) -> None:
        self._sink = sink
        self._clock = clock
        self._spill_bytes = spill_bytes
        self._redacted = redacted
        self._report = report
        self._lock = threading.RLock()
        self._waiting: list[tuple[str, bytes]] = []
        self._waiting_units = 0
        atexit.register(self.flush)

    def __enter__(self) -> SessionLogger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits; the logger stays usable."""
        self.flush()
        atexit.unregister(self.flush)

    def log(self, session_id: str, event: str, data: Mapping[str, Any] | None = None) -> None:
        """Log one event; ``data`` are its members.

        Takes JSON values, datetimes and Instants, dataclasses and structs, `UNDEFINED` and
        `BigInt`. Numbers are written as ECMAScript prints them, so whole ones beyond 2^53 lose
        digits unless they are a `BigInt`. Never raises: a line that cannot be written is
        reported.
        """
        if not isinstance(session_id, str) or not safe_segment(session_id):
            self._report("session log: a line was dropped, its session id is no safe file name")
            return
        with self._lock:
            try:
                line = self._line(session_id, event, data or {})
            except Exception as error:  # the clock and the values are the caller's code
                self._report(f"session log: a line was dropped ({_cause(error)})")
                return
            self._waiting.append((session_id, line))
            if event == "text_delta":
                self._waiting_units += len(line.decode().encode("utf-16-le")) // 2
            if event != "text_delta" or self._waiting_units >= DELTA_UNITS:
                self.flush()

    def flush(self) -> None:
        """Write what waits, in the order of the calls."""
        with self._lock:
            waiting, self._waiting, self._waiting_units = self._waiting, [], 0
            lines: dict[str, list[bytes]] = {}
            for session_id, line in waiting:
                lines.setdefault(session_id, []).append(line)
            for session_id, texts in lines.items():
                self._append(session_id, b"".join(texts))

    def _append(self, session_id: str, lines: bytes) -> None:
        try:
            self._sink.append(session_id, lines)
        except (OSError, ValueError) as error:
            self._report(f"session log: lines were not written ({reason(error)})")

    def _line(self, session_id: str, event: str, data: Mapping[str, Any]) -> bytes:
        """The members in the caller's order, then the envelope; its names are the logger's."""
        envelope = {
            "schemaVersion": dumps(SCHEMA_VERSION),
            "timestamp": dumps(iso_text(self._clock())),
            "sessionId": dumps(session_id),
            "event": dumps(event),
        }
        own = {name: value for name, value in data.items() if name not in envelope}
        written = dict(
            member_texts(own, lambda text: self._spill(session_id, text), redacted=self._redacted)
        )
        names = [name for name, _ in javascript_order(data.items())]
        members = {n: envelope.get(n, written.get(n)) for n in names} | envelope
        texts = (dumps(n) + b":" + text for n, text in members.items() if text is not None)
        return b"{" + b",".join(texts) + b"}\n"

    def _spill(self, session_id: str, text: bytes) -> bytes:
        """The size rule. A value whose sidecar cannot be had stays in its line."""
        if len(text) <= self._spill_bytes:
            return text
        digest, reference = reference_text(session_id, text)
        try:
            self._sink.put_payload(session_id, digest, text)
        except SidecarCorrupt:
            self._report(
                "session log: a sidecar that exists holds other bytes than its name says; "
                "it was left as it is and the value stays in its line"
            )
            return text
        except OSError as error:
            self._report(f"session log: a sidecar was not written ({reason(error)})")
            return text
        return reference


def _cause(error: Exception) -> str:
    """Our own reasons in words; of a stranger's exception its kind, as its text may hold values."""
    return str(error) if type(error) is TooDeep else type(error).__name__
