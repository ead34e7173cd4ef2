"""Tokens of clouds, databases and monitoring, by their public formats."""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.secret_rule import NO_MORE, Rule, rule, shape

CLOUDS: Final[tuple[Rule, ...]] = (
    rule("aws-access-key", "AKIA ASIA ABIA ACCA", r"[A-Z2-7]{16}" + NO_MORE),
    rule(
        "aws-session-token",
        "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz",
        r"[A-Za-z0-9+/]{80,2000}={0,2}",
    ),
    rule("google-api-key", "AIza", r"[\w-]{35}(?![\w-])"),
    rule("google-api-key", "AIza", r"[\w-]{35,40}", confidence="medium"),
    rule("google-api-key", "AQ.Ab", r"[\w-]{40,80}"),
    rule("google-client-secret", "GOCSPX-", r"[\w-]{20,40}"),
    rule("google-access-token", "ya29. ya29.c.", r"[\w.-]{20,2000}"),
    rule("google-refresh-token", "1//0", r"[\w-]{30,200}", mixed=True),
    rule("google-hmac-key", "GOOG1E", r"[A-Z0-9]{50,60}"),
    shape(
        "azure-client-secret",
        r"(?<![\w~-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])",
        hints="Q~",
        behind=(4,),
    ),
    shape(
        "azure-key",
        r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{33,76}"
        r"(?:AzCa|ACDb|AZEG|ACRD|AIoT|APIM|AzSe|AzFu|\+ASt|\+AMC|\+ABa|JQQJ99)"
        r"[A-Za-z0-9+/]{5,40}={0,2}(?![A-Za-z0-9+/=])",
        hints="AzCa ACDb AZEG ACRD AIoT APIM AzSe AzFu +ASt +AMC +ABa JQQJ99",
    ),
    rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    rule("heroku-key", "HRKU-", r"[\w-]{36,70}"),
    rule("fly-token", "fo1_", r"[\w-]{43}"),
    rule("fly-token", "fm1r_ fm1a_ fm2_", r"[A-Za-z0-9+/=_-]{60,2000}"),
    rule("render-key", "rnd_", r"[A-Za-z0-9]{24,40}", mixed=True),
    rule("netlify-token", "nfp_ nfc_ nfo_ nfu_", r"[A-Za-z0-9]{36,44}"),
    rule(
        "vercel-token",
        "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_",
        r"[A-Za-z0-9_]{24,90}",
        mixed=True,
    ),
    rule("cloudflare-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
    rule("cloudflare-token", "cfut_ cfat_ cfk_", r"[A-Za-z0-9_]{40,60}"),
    rule("supabase-token", "sbp_", r"(?:v0_|oauth_)?[0-9a-f]{40}"),
    rule("supabase-key", "sb_secret_", r"[\w-]{20,64}"),
    rule("neon-key", "napi_", r"[a-z0-9]{40,80}"),
    rule("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{32,64}"),
    rule("databricks-token", "dapi dkea dose ddoe", r"[0-9a-f]{32}(?:-[0-9])?" + NO_MORE),
    rule("aiven-password", "AVNS_", r"[\w-]{16,32}"),
    rule("mongodb-secret", "mdb_sa_sk_", r"[\w-]{30,64}"),
    rule("elastic-key", "essu_", r"[A-Za-z0-9+/=_-]{40,200}"),
    rule("confluent-secret", "cflt", r"[A-Za-z0-9+/]{60}" + NO_MORE),
    rule("alibaba-key", "LTAI", r"[A-Za-z0-9]{12,26}" + NO_MORE, mixed=True),
    rule("tencent-key", "AKID", r"[A-Za-z0-9]{32}" + NO_MORE, mixed=True),
    rule("yandex-key", "AQVN", r"[\w-]{35,38}" + NO_MORE),
    rule("yandex-token", "t1.", r"[A-Z0-9a-z_-]{4,12}[=]{0,2}\.[\w-]{86}={0,2}"),
    rule("yandex-key", "YCAJE YCP", r"[\w-]{20,38}" + NO_MORE, mixed=True),
    rule("scaleway-key", "SCW", r"[A-Z0-9]{17}" + NO_MORE, mixed=True, confidence="medium"),
    rule("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    rule("grafana-token", "glc_eyJ", r"[A-Za-z0-9+/]{32,400}={0,2}"),
    rule("newrelic-key", "NRAK- NRJS- NRRA- NRII- NRIQ-", r"[A-Za-z0-9_-]{19,42}"),
    shape(
        "newrelic-key",
        r"(?<![0-9A-Za-z])(?:[a-z]{2}[0-9]{2}xx)?[0-9a-f]{28,36}NRAL(?![0-9A-Za-z])",
        hints="NRAL",
    ),
    rule("dynatrace-token", "dt0c01. dt0s01. dt0s16. dt0s03.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    rule("honeycomb-key", "hcaik_ hcbik_ hccik_ hcamk_", r"[a-z0-9]{50,64}"),
    rule("logfire-token", "pylf_v1_", r"[a-z]{2}_[A-Za-z0-9]{40,60}"),
    rule("axiom-token", "xaat- xapt-", r"[0-9a-f-]{36}"),
    rule("betterstack-token", "btsk_", r"[A-Za-z0-9]{24,64}"),
    rule("contentful-token", "CFPAT-", r"[\w-]{43}"),
    rule("upcloud-token", "ucat_", r"[0-9A-Z]{20,40}"),
    rule("hashicorp-secret", "hcp.", r"[\w-]{40,200}"),
)
