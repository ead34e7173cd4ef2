"""The wider rule for names: which member, variable, header or flag names hold a secret.

A name is split into words at dashes, underscores, dots and changes of case. The last word decides,
what stands before it can turn it round: ``max_tokens``, ``next_page_token`` and ``public_key`` are
no secrets, ``tokenCount`` is a count. Everything the exact rule names is named here too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sesskit.artifacts.secret_rule import word_set
from sesskit.schemas.sensitive import is_sensitive_key

__all__ = ["endings", "is_secret_name", "last_letters", "stem_of", "suffixes", "words_of"]

_LONGEST: Final = 120
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")


_SECRETS: Final = word_set(
    "password passwd passphrase passcode passwort kennwort wachtwoord senha"
    " contrasena secret token bearer cookie credential"
    " credentials authorization otp totp pin psk mnemonic apikey apitoken authtoken"
    " accesstoken refreshtoken sessiontoken bearertoken clientsecret appsecret secretkey"
    " identitytoken registrytoken idtoken csrftoken usertoken apppassword presharedkey"
    " accesskey privatekey authkey sharedkey masterkey encryptionkey signingkey"
    " dbpassword userpassword rootpassword passwords jwt sshpass pswd passwrd userpass dbpass"
    " sessionkey \u043f\u0430\u0440\u043e\u043b\u044c \u5bc6\u7801 \u30d1\u30b9\u30ef\u30fc\u30c9"
    " \ube44\ubc00\ubc88\ud638"
)
"""Words that are a secret as the last word of a name."""

_SECRETS_BEHIND: Final = {
    "pwd": None,
    "pw": None,
    "pat": None,
    "creds": None,
    "dsn": word_set("sentry database db raven"),
    "auth": word_set("npm sentry rediscli redis twilio registry docker"),
    "salt": word_set("hash password session secret auth jwt token encryption app cookie wp"),
    "pass": word_set(
        "admin amqp app auth basic become bind broker cert database default db dev"
        " email ftp http imap jenkins"
        " jks key keystore ldap login mail mongo mongodb my mysql p12 pfx"
        " pg pgp pop postgres postgresql prod proxy rabbit rabbitmq redis root server service"
        " smtp sql ssh store sudo svc test"
        " truststore user vpn wifi wp zip"
    ),
}
"""The same, where another word (one of these) stands before them: PWD alone is a folder."""

_KEY_KINDS: Final = word_set(
    "access account admin aes api app application auth authentication authorization aws"
    " client consumer crypto decryption deploy deployment developer dek encrypt"
    " encryption function gateway hmac identity ingest ingestion installation"
    " integration integrator jwt kek kms license licence management master mgmt private"
    " provisioning publishing role root rsa sas secret security seed server service"
    " session shared signature signing ssh ssl storage subscription super tls token"
    " webhook write bot bearer pgp signer wallet wireguard wifi wlan openai anthropic claude"
    " gemini mistral cohere groq xai grok deepseek perplexity openrouter huggingface"
    " replicate together fireworks cerebras pinecone elevenlabs deepgram tavily exa"
    " serper stripe twilio sendgrid mailgun mailchimp postmark resend slack discord"
    " telegram github gitlab bitbucket jira notion airtable asana figma zapier datadog"
    " sentry grafana newrelic pagerduty honeycomb logdna cloudflare fastly vercel"
    " netlify heroku digitalocean linode hetzner azure gcp google firebase supabase"
    " planetscale algolia mapbox shodan serpapi trello fernet functions preshared unseal"
    " dd datadoghq mixpanel amplitude segment etherscan alchemy infura tiingo polygon finnhub"
    " opsgenie rollbar bugsnag honeybadger vultr scaleway ovh hcloud steam riot weather"
    " openweather openweathermap assemblyai stability langsmith langfuse wandb runpod modal"
    " jina voyage nvidia baseten anyscale virustotal abuseipdb censys greynoise ipinfo"
    " rapidapi coinbase binance kraken alpaca plaid square paypal adyen braintree mollie"
    " klaviyo intercom zendesk freshdesk hubspot pipedrive monday linear clickup contentful"
    " sanity storyblok ghost webflow unsplash pexels giphy tmdb omdb youtube spotify"
    " lastfm ngrok tailscale pulumi doppler infisical hashicorp consul nomad"
)
"""What makes a key a secret one: the word before ``key``."""

_KEY_NOT: Final = word_set("public pub primary foreign gpg anon publishable")

_TURNS: Final = {
    "token": word_set(
        "next page stop eos bos pad unk sep cls mask special start starting end first last"
        " continuation continue previous prev max min num count total per image audio text"
        " input output prompt completion cached sync cursor sentinel resume pagination"
        " delimiter cancellation cancel change current peek lookahead expected unexpected"
        " css design color colour theme syntax"
    ),
    "cookie": word_set("no accept cookie"),
    "pat": word_set("regex regexp re rx name names file path glob url search match sub exclude"),
    "pin": word_set("gpio reset led data clock pull"),
}
"""By last word: the words that make it no secret when they stand right before it."""

_ASKS: Final = word_set(
    "has is requires require needs need use uses using with without no allow allows"
    " enable enabled disable disabled show hide should forgot invalid missing wrong bad"
    " expired skip ignore validate verify check supports can masked redacted hashed"
)
"""A name that begins so asks a question or says what to do: it holds a yes or no."""

_SUFFIXES: Final = word_set(
    "base pem v value val raw plain plaintext text string str b64 base64 hex data encoded"
    " prod production dev development staging stage test live sandbox new old current"
    " previous prev primary secondary default main override tmp local remote"
)
"""Words that may follow the word that decides."""

_JOINED: Final = ("password", "passwd", "passphrase", "apikey", "authtoken", "secretkey")
"""A word may be glued to what stands before it: pgpassword."""

_SHORTEST_JOINED: Final = 7
_DATA_ONLY_BEHIND_KEY: Final = "data"
_CONNECTIONS: Final = (("connection", "string"), ("conn", "string"), ("conn", "str"))
_PHRASES: Final = (
    ("seed", "phrase"),
    ("recovery", "phrase"),
    ("pass", "phrase"),
    ("pass", "word"),
    ("mot", "de", "passe"),
    ("unlock", "code"),
    ("contrase", "\u00f1a"),
    ("recovery", "code"),
    ("recovery", "codes"),
    ("backup", "codes"),
    ("verification", "code"),
    ("service", "account", "json"),
)


def endings() -> frozenset[str]:
    """The last three letters, in lower case, of the words that make a name one of a secret."""
    words = {*_SECRETS, *_SECRETS_BEHIND, *_JOINED, "key", "keys"}
    words |= {phrase[-1] for phrase in (*_CONNECTIONS, *_PHRASES)}
    return frozenset(word[-3:] for word in words)


def last_letters() -> frozenset[str]:
    """How a secret's name can end, in lower case, if it ends with a letter."""
    return endings() | {word[-3:] for word in _SUFFIXES if word[-1].isalpha()}


def suffixes() -> frozenset[str]:
    """The words that may follow such a word, none of them a secret by itself."""
    return _SUFFIXES


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case: ``clientSecret2`` is client, secret, 2."""
    return [word.lower() for word in _WORD.findall(name[-_LONGEST:])]


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether what has this name holds a secret, by the wider rule."""
    if is_sensitive_key(name):
        return True
    words = words_of(name)
    return bool(words) and words[0] not in _ASKS and _deciding(words) > 0


@lru_cache(maxsize=4096)
def stem_of(name: str) -> str:
    """What a value of this name is called in a placeholder: ``client-secret``, ``api-key``."""
    words = words_of(name)
    end = _deciding(words) or len(words)
    last = words[:end][-2:] if words[:end] and words[end - 1] in _TWO_WORDS else words[:end][-1:]
    if len(last) == 2 and last[0] not in _STEM_WORDS:
        last = last[1:]
    return "-".join(word for word in last if word.isascii() and word.isalpha()) or "secret"


_TWO_WORDS: Final = word_set("key secret token string phrase code codes json")
_STEM_WORDS: Final = word_set(
    "access api app auth client encryption private refresh secret session signing"
    " storage account connection seed recovery webhook csrf id master bearer service"
)


def _deciding(words: list[str]) -> int:
    """How many words there are up to the one that makes the name a secret; 0 if none does."""
    end = len(words)
    while end > 1 and (words[end - 1] in _SUFFIXES or words[end - 1].isdigit()):
        if _is_phrase(words[:end]):
            return end
        if words[end - 1] == _DATA_ONLY_BEHIND_KEY and words[end - 2] != "key":
            return 0
        end -= 1
    head = words[:end]
    return end if head and (_is_phrase(head) or _decides(head)) else 0


def _is_phrase(words: list[str]) -> bool:
    return any(tuple(words[-len(p) :]) == p for p in (*_CONNECTIONS, *_PHRASES))


def _decides(words: list[str]) -> bool:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in ("key", "keys"):
        return before in _KEY_KINDS and not _KEY_NOT.intersection(words)
    if last in _SECRETS_BEHIND:
        named = _SECRETS_BEHIND[last]
        turned = before in _TURNS.get(last, ())
        return bool(before) and not turned and (named is None or before in named)
    if last in _SECRETS:
        return before not in _TURNS.get(last, ())
    return len(last) > _SHORTEST_JOINED and last.endswith(_JOINED)
