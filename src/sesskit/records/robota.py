"""Robota session records: what the registry knows of them.

``RECORD`` is a stored file or an artifact (the same bytes); ``BARE`` a record from before the
envelope existed, which today's builds of its owner refuse as unsupported.
"""

from __future__ import annotations

from sesskit.records.format import Format, Options
from sesskit.records.robota_recognition import bare, enveloped
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.robota_decode import decode_bare, decode_envelope
from sesskit.schemas.robota_reading import SUPPORTED

__all__ = ["BARE", "RECORD", "decode_bare", "decode_envelope"]


def _envelope(data: bytes, options: Options) -> Decoded:
    return decode_envelope(data, thorough=options.thorough, keep=options.keep, zone=options.zone)


def _bare(data: bytes, options: Options) -> Decoded:
    return decode_bare(data, thorough=options.thorough, keep=options.keep, zone=options.zone)


RECORD = Format("robota-record", "Robota session record", SUPPORTED, enveloped, _envelope)
BARE = Format("robota-record-bare", "Robota session record without envelope", (), bare, _bare)
