"""ochat: what a session remembers of trust in shell commands (version 5 only).

Nothing here is checked by the original when it reads: not uniqueness, expiry, or the form of a
hash. Times are nanoseconds since 1970.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from sesskit.schemas.binprot_types import Int, Int64, Part, Str
from sesskit.schemas.ochat_values import Value

RequestKind = Literal["Structured", "Script_file", "Raw_shell"]


class ManifestGrant(Part, frozen=True, gc=False):
    grant_id: Str
    manifest_sha256: Str
    canonical_source_root: Str
    repository_identity: Str | None
    source_sha256: Str
    signer: Str | None
    issuer: Str | None
    audience: list[Str]
    schema_version: Int
    builtin_versions: list[tuple[Str, Str]]
    imported_source_sha256: list[tuple[Str, Str]]
    session_id: Str | None
    user_id: Str | None
    host_id: Str | None
    created_at_ns: Int64
    expires_at_ns: Int64 | None
    revoked_at_ns: Int64 | None
    revocation_reason: Str | None


class ExactSession(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Exact_session"


class PrefixSession(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Prefix_session"
    prefix: list[Str]


class DurableExact(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Durable_exact"


Scope = ExactSession | PrefixSession | DurableExact


class Reviewer(Part, frozen=True, gc=False):
    source: Str
    reviewer_id: Str | None


class ApprovalGrant(Part, frozen=True, gc=False):
    grant_id: Str
    manifest_sha256: Str
    runtime_id: Str
    request_kind: RequestKind
    command_sha256: Str
    executable_sha256: Str
    argv: list[Str]
    argv_prefix: list[Str] | None
    cwd_sha256: Str
    environment_sha256: Str
    stdin_sha256: Str | None
    stdin_bytes: Int
    script_sha256: Str | None
    scope: Scope
    session_id: Str | None
    user_id: Str | None
    host_id: Str | None
    created_at_ns: Int64
    expires_at_ns: Int64 | None
    last_used_at_ns: Int64 | None
    reviewer: Reviewer
    revoked_at_ns: Int64 | None
    revocation_reason: Str | None


class ExtensionSnapshot(Part, frozen=True, gc=False):
    extension_id: Str
    extension_kind: Str
    runtime_id: Str
    manifest_sha256: Str
    source_sha256: Str
    state: Value
    captured_at_ns: Int64


class InterruptedRequest(Part, frozen=True, gc=False):
    request_id: Str
    runtime_id: Str
    manifest_sha256: Str
    request_kind: RequestKind
    command_sha256: Str
    redacted_command: Str
    cwd_sha256: Str
    effects: list[Str]
    interrupted_at_ns: Int64
    reason: Str
    audit_sequence: Int64 | None
    retryable: bool


class ShellState(Part, frozen=True, gc=False):
    manifest_grants: list[ManifestGrant]
    approval_grants: list[ApprovalGrant]
    extension_snapshots: list[ExtensionSnapshot]
    last_audit_sequence: Int64 | None
    interrupted_requests: list[InterruptedRequest]


NO_SHELL = ShellState([], [], [], None, [])
"""No trust at all: what an older file has after its migration, and every file after a reset."""
