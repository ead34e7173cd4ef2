"""Tokens of chat, mail, payment and office services, by their public formats."""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.secret_rule import NO_MORE, Rule, rule, shape

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

SERVICES: Final[tuple[Rule, ...]] = (
    rule(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxo- xoxp- xoxr- xoxs- xoxe-",
        r"[A-Za-z0-9-]{20,400}",
    ),
    shape("slack-token", r"xoxd-[A-Za-z0-9%/+=-]{20,400}", hints="xoxd-", behind=(0,)),
    rule("slack-token", "xoxe.xoxb- xoxe.xoxp-", r"[A-Za-z0-9-]{20,400}"),
    rule("slack-token", "xapp- xwfp-", r"[A-Za-z0-9-]{30,300}"),
    shape(
        "discord-token",
        r"[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}(?![\w.-])",
        starts="M N O",
    ),
    shape("discord-token", r"mfa\.[\w-]{80,100}", starts="mfa."),
    shape("telegram-token", r"(?<=[0-9]:)A[\w-]{34}(?![\w-])", starts="A"),
    rule("twilio-key", "SK", r"[0-9a-f]{32}" + NO_MORE),
    rule("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{30,64}"),
    rule("mailgun-key", "key-", r"[0-9a-f]{32}" + NO_MORE),
    shape(
        "mailgun-key",
        r"(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])",
        length=50,
    ),
    shape(
        "mailchimp-key", r"(?<![\w-])[0-9a-f]{32}-us[0-9]{1,2}(?![\w-])", hints="-us", behind=(32,)
    ),
    rule("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    rule("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}" + NO_MORE, mixed=True),
    rule(
        "stripe-key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_live_ sk_prod_",
        r"[A-Za-z0-9]{10,250}",
    ),
    rule("webhook-secret", "whsec_", r"[A-Za-z0-9+/]{24,80}={0,2}"),
    rule("square-token", "sq0atp- sq0csp-", r"[\w-]{20,60}"),
    rule("square-token", "EAAA", r"[\w-]{58,64}" + NO_MORE, mixed=True),
    shape(
        "paypal-token",
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{10,20}\$[0-9a-f]{32}",
        hints="$production$ $sandbox$",
        behind=(12,),
    ),
    rule("plaid-token", "access-sandbox- access-production- access-development-", _UUID),
    rule("shopify-token", "shpat_ shpss_ shpca_ shppa_ shptka_ shpua_", r"[0-9a-fA-F]{32}"),
    rule("shippo-token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    rule("easypost-key", "EZAK EZTK", r"[A-Za-z0-9]{54}"),
    rule("lob-key", "live_ test_", r"[0-9a-f]{35}" + NO_MORE),
    rule("gocardless-token", "live_ sandbox_", r"[A-Za-z0-9_-]{40,60}" + NO_MORE, mixed=True),
    rule("flutterwave-key", "FLWSECK-", r"[0-9a-zA-Z]{12,40}-X"),
    rule("flutterwave-key", "FLWSECK_TEST-", r"[0-9a-zA-Z]{12,40}-X"),
    rule("duffel-token", "duffel_live_ duffel_test_", r"[\w-]{40,50}"),
    rule("linear-key", "lin_api_ lin_oauth_ lin_wh_", r"[A-Za-z0-9]{32,80}"),
    rule("notion-token", "ntn_", r"[A-Za-z0-9]{40,60}"),
    rule("notion-token", "secret_", r"[A-Za-z0-9]{43}" + NO_MORE, mixed=True),
    rule("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    shape("asana-token", r"[12]/[0-9]{16}(?:/[0-9]{16})?:[0-9a-f]{32}", starts="1/ 2/"),
    rule("clickup-token", "pk_", r"[0-9]{6,10}_[A-Z0-9]{32}"),
    rule("figma-token", "figd_ figu_ figor_", r"[\w-]{36,60}"),
    rule("typeform-token", "tfp_", r"[\w.=-]{40,80}"),
    rule("dropbox-token", "sl.", r"(?:u\.)?[\w-]{120,1500}"),
    rule("hubspot-token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID),
    shape(
        "salesforce-token",
        r"00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![A-Za-z0-9._]{80,260}",
        hints="!",
        behind=(15, 18),
    ),
    rule("intercom-token", "dG9rO", r"[A-Za-z0-9+/]{50,80}={0,2}"),
    rule(
        "facebook-token",
        "EAAC EAAB EAAG EAAD EAAJ EAAO EAAE EAAI",
        r"[A-Za-z0-9]{60,400}",
        mixed=True,
    ),
    rule("instagram-token", "IGQV IGAA", r"[\w-]{80,400}"),
    rule("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{50,120}", mixed=True),
    rule("adobe-secret", "p8e-", r"[A-Za-z0-9_-]{32}" + NO_MORE, mixed=True),
    rule("frameio-token", "fio-u-", r"[\w=-]{60,70}"),
    rule("mapbox-token", "sk.eyJ", r"[\w-]{40,300}\.[\w-]{20,60}"),
    rule("stytch-secret", "secret-live- secret-test-", r"[\w=-]{30,60}"),
    rule("todoist-token", "tdo_", r"[0-9a-f]{40}"),
    rule("lark-token", "t-g1 u-g1", r"[A-Za-z0-9_.-]{30,80}", mixed=True),
    rule("novu-key", "nvsk_", r"[0-9a-f]{32,64}"),
    rule("knock-key", "sk_knock_ skt_", r"[\w-]{30,80}", mixed=True),
    rule("courier-key", "pk_prod_", r"[A-Z0-9]{28}" + NO_MORE),
    rule("workos-key", "sk_a2V5", r"[A-Za-z0-9+/=_]{30,120}"),
)

WEBHOOKS: Final[tuple[tuple[str, str], ...]] = (
    (
        "slack-webhook",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{20,120}",
    ),
    (
        "discord-webhook",
        r"(?:(?:ptb|canary)\.)?discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{16,20}/[\w-]{40,90}",
    ),
    ("teams-webhook", r"[\w-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{60,220}"),
    ("zapier-webhook", r"hooks\.zapier\.com/hooks/catch/[0-9]{4,12}/[A-Za-z0-9]{5,20}"),
    ("ifttt-webhook", r"maker\.ifttt\.com/trigger/[\w-]{1,60}/(?:json/)?with/key/[\w-]{20,60}"),
    ("lark-webhook", r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[0-9a-f-]{36}"),
    ("mattermost-webhook", r"[\w.-]{3,80}/hooks/[a-z0-9]{26}(?![a-z0-9])"),
    (
        "google-chat-webhook",
        r"chat\.googleapis\.com/v1/spaces/[\w-]{5,20}/messages\?key=[\w-]{30,50}&token=[\w%-]{20,60}",
    ),
)
"""Addresses that are a secret as a whole, from behind ``://`` on."""
