"""Tokens of model providers and of the tools around them, by their public formats."""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.secret_rule import NO_MORE, Rule, rule

MODELS: Final[tuple[Rule, ...]] = (
    rule("anthropic-key", "sk-ant-", r"[a-z]{2,8}[0-9]{2}-[\w-]{32,200}"),
    rule("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-", r"[\w-]{20,250}"),
    rule("openrouter-key", "sk-or-", r"(?:v[0-9]-)?[A-Za-z0-9]{32,128}"),
    rule("langfuse-key", "sk-lf-", r"[0-9a-f-]{32,40}"),
    rule("helicone-key", "sk-helicone-", r"[\w-]{16,80}"),
    rule("openai-key", "sk-", r"[A-Za-z0-9]{16,40}T3BlbkFJ[A-Za-z0-9]{16,40}"),
    rule("model-api-key", "sk-", r"[A-Za-z0-9]{32,128}" + NO_MORE, mixed=True),
    rule("model-api-key", "sk-", r"[A-Za-z0-9_-]{40,200}", mixed=True, confidence="medium"),
    rule("xai-key", "xai-", r"[A-Za-z0-9]{60,120}"),
    rule("groq-key", "gsk_", r"[A-Za-z0-9]{40,80}"),
    rule("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,64}"),
    rule("hugging-face-token", "hf_ api_org_", r"[A-Za-z0-9]{30,60}", mixed=False),
    rule("replicate-token", "r8_", r"[A-Za-z0-9]{36,48}"),
    rule("fireworks-key", "fw_", r"[A-Za-z0-9]{22,64}" + NO_MORE, mixed=True),
    rule("cerebras-key", "csk-", r"[a-z0-9]{40,64}"),
    rule("together-key", "tgp_v1_", r"[\w-]{40,64}"),
    rule("nvidia-key", "nvapi-", r"[\w-]{50,90}"),
    rule("pinecone-key", "pcsk_", r"[A-Za-z0-9_]{40,90}"),
    rule("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    rule("langsmith-key", "ls__", r"[0-9a-f]{32}" + NO_MORE),
    rule("tavily-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9-]{24,64}", mixed=True),
    rule("firecrawl-key", "fc-", r"[0-9a-f]{32}" + NO_MORE),
    rule("brave-key", "BSA", r"[A-Za-z0-9_-]{26,30}" + NO_MORE, mixed=True),
    rule("jina-key", "jina_", r"[A-Za-z0-9_-]{40,80}"),
    rule("voyage-key", "pa-", r"[A-Za-z0-9_-]{43}" + NO_MORE, mixed=True),
    rule("elevenlabs-key", "sk_", r"[0-9a-f]{48}" + NO_MORE),
    rule("e2b-key", "e2b_", r"[0-9a-f]{40}" + NO_MORE),
    rule("apify-token", "apify_api_", r"[A-Za-z0-9]{30,60}"),
    rule("modal-token", "ak- as-", r"[A-Za-z0-9]{22}" + NO_MORE, mixed=True),
    rule("wandb-key", "wandb_v1_", r"[\w-]{40,120}"),
    rule("cursor-key", "crsr_ key_", r"[0-9a-f]{64}" + NO_MORE),
    rule("context7-key", "ctx7sk-", r"[0-9a-f-]{32,40}"),
    rule("chutes-key", "cpk_", r"[0-9a-f]{32}\.[0-9a-f]{32}\.[A-Za-z0-9]{32}"),
    rule("browserbase-key", "bb_live_", r"[\w-]{20,64}"),
    rule("sourcegraph-token", "sgp_", r"(?:[A-Za-z0-9]{3,20}_)?[0-9a-f]{40,64}" + NO_MORE),
    rule("mem0-key", "m0-", r"[A-Za-z0-9]{40}" + NO_MORE),
    rule("bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,200}={0,2}"),
)
