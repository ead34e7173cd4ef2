"""What the registry knows of Robota logs."""

from __future__ import annotations

from pathlib import Path

from sesskit.logs.robota_log import SidecarOptions, decode_log, read_log
from sesskit.logs.robota_parallel import check_log
from sesskit.logs.robota_recognition import log
from sesskit.records.format import Format, Options
from sesskit.schemas.outcomes import Outcome

__all__ = ["LOG"]


def _read(path: Path, options: Options) -> Outcome:
    sidecars = SidecarOptions(look=options.sidecars)
    if options.keep or options.workers < 2:
        return read_log(path, options, sidecars=sidecars)
    return check_log(path, options, sidecars=sidecars, workers=options.workers)


LOG = Format("robota-log", "Robota session log", (1,), log, decode_log, _read)
