"""Where secrets and personal data stand: exactly they go, and all around them stays."""

from __future__ import annotations

import base64

import pytest

from fake_secrets import Fake
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.placeholders import PLACEHOLDER
from sesskit.artifacts.redaction import Policy, Redactor

fake = Fake(21)
OPAQUE = fake.letters(32)
WORDY = "aJx" + "kQwZtBvRn" + "Lp"
HEX = fake.hex(32)
UUID = "8a6e0804-2bd0-4672-b79d-d97027f9071a"
BASE64 = base64.b64encode(("x" + fake.letters(17)).encode()).decode()
USER = base64.b64encode(("svc:" + fake.letters(16)).encode()).decode()
AWS = fake.letters(38) + "/+"
SLASHED = "/" + fake.letters(37) + "+/"
SHORT = "Zq7" + fake.letters(9)
PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"

PLACES = [
    ("export API_KEY={}", OPAQUE),
    ("export API_KEY='{}'", OPAQUE),
    ('API_KEY = "{}"  # mine', OPAQUE),
    ("X-Auth-Token: {}", HEX),
    ('{{"login_token": "{}", "n": 1}}', OPAQUE),
    ("'clientSecret' => '{}',", OPAQUE),
    ('token := "{}"', OPAQUE),
    ('const apiKey: string = "{}";', UUID),
    ("api_token: str = '{}'", OPAQUE),
    ('os.environ["API_TOKEN"] = "{}"', OPAQUE),
    ('os.environ.setdefault("SECRET_KEY", "{}")', OPAQUE),
    ("define('DB_PASSWORD', '{}');", SHORT),
    ("ENV API_KEY {}", OPAQUE),
    ("aws configure set aws_secret_access_key {} --profile x", SLASHED),
    ("aws_secret_access_key    = {}", AWS),
    ("DB_PASSWORD={}", WORDY),
    ("mail:\n  smtp_pass: {}\n", "wtwginqbpaocczrv"),
    ("PASSWORD='{}'", "abcd efgh ijkl mnop"),
    ("  password: {},", SHORT),
    ("db.password={}\n", SHORT),
    ("ansible_ssh_pass={} x=1", SHORT),
    ("http://h/?user=a&api_key={}&n=1", OPAQUE),
    ("client_secret={}&grant_type=x", OPAQUE),
    ("https://h/b?sv=1&se=2&sr=b&sp=r&sig={}", fake.letters(40) + "%3D"),
    ("GET /inbox?folder=2&sid={}&next=1 HTTP/1.1", fake.letters(32)),
    ("https://s3/x?X-Amz-Expires=9&X-Amz-Signature={}", fake.hex(64)),
    ("Server=db;Database=a;User ID=sa;Password={};Encrypt=True;", SHORT),
    ("Driver=x;Uid=sa;Pwd={};", SHORT),
    ("AccountName=a;AccountKey={};EndpointSuffix=core", fake.letters(86) + "=="),
    ("host=db port=1 user=a password={} sslmode=x", SHORT),
    ("Authorization: Bearer {}", OPAQUE),
    ("authorization: token {}", HEX),
    ("curl -H 'Authorization: Basic {}' h", USER),
    ("Authorization: ApiKey {}", BASE64),
    ("Authorization: AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=h, Signature={}", fake.hex(64)),
    ("got Bearer {} back", OPAQUE),
    ("Cookie: theme=dark; session={}; lang=en", OPAQUE),
    ("Set-Cookie: sid={}; Path=/; HttpOnly", OPAQUE),
    ("Cookie: {}", OPAQUE),
    ('{{"name": "X-Api-Key", "value": "{}"}}', OPAQUE),
    ('{{"value": "{}", "name": "X-Api-Key"}}', OPAQUE),
    ("- name: API_TOKEN\n  value: {}\n", OPAQUE),
    ('\\"name\\":\\"Cookie\\",\\"value\\":\\"sid={}\\"', OPAQUE),
    ('<add key="ApiKey" value="{}" />', OPAQUE),
    ("<password>{}</password>", SHORT),
    ("<a:Secret x='1'>{}</a:Secret>", OPAQUE),
    ('{{"auths": {{"h": {{"auth": "{}"}}}}}}', USER),
    ("//registry.local/:_auth={}", USER),
    ("//registry.local/:_password={}", BASE64),
    ("//registry.local/:_authToken={}", UUID),
    ("postgres://app:{}@db/x", SHORT),
    ("redis://:{}@h:1/0", SHORT),
    ("mongodb+srv://a:{}@h/x", "Ef%40lroN2"),
    ("https://{}@git.local/x.git", OPAQUE),
    ("https://{}:x-oauth-basic@git.local/x", OPAQUE),
    ("a://app:{}@h", "sunshine"),
    ("curl -u bo:{} https://h", SHORT),
    ("curl --user 'bo:{}' https://h", SHORT),
    ("serve --basic-auth bo:{} .", SHORT),
    ("mysql -h db -u root -p{} x", SHORT),
    ("sshpass -p '{}' ssh h", SHORT),
    ("docker login -u a -p {} h", SHORT),
    ("redis-cli -h x -a {} ping", SHORT),
    ("zip -P {} a.zip b", SHORT),
    ("7z x -p{} a.7z", SHORT),
    ("ldapsearch -D cn=a -w {} -b dc=x", SHORT),
    ("smbclient //h/s -U bo%{}", SHORT),
    ("openssl enc -pass pass:{} -in f", SHORT),
    ("htpasswd -bc f bo {}", SHORT),
    ("keytool -storepass {} -alias x", SHORT),
    ('echo "{}" | sudo -S true', SHORT),
    ("x --db-pass {} --verbose", SHORT),
    ("x --auth-token={}", OPAQUE),
    ('"args": ["-y", "--api-key", "{}"]', OPAQUE),
    ('\\"--api-key\\", \\"{}\\"', OPAQUE),
    ("machine h login bo password {}", SHORT),
    ("machine h\n  login svc\n  password {}\n", SHORT),
    ("The password is {} for now", SHORT),
    ("password for the vpn is `{}`", SHORT),
    ("vault write login role_id=x secret_id={}", UUID),
    ('{{"d": "{}", "kty": "RSA"}}', fake.letters(86)),
    ('{{\n\\"kty\\": \\"RSA\\", \\"d\\": \\"{}\\"}} x', fake.letters(86)),
    ('mnemonic = "{}"', PHRASE),
    ("kind: Secret\ndata:\n  password: {}\n  tls.crt: TUlJRA==\n", BASE64),
    ("data:\n  # which\n\n  DB_URL: '{}'\nkind: Secret\nx: 1\n", BASE64),
    ('{{\n"kind": "Secret",\n"data": {{"a": "{}"}}\n}} x', BASE64),
    ("client-certificate-data: TUlJRA==\nclient-key-data: {}\n", fake.letters(80) + "=="),
    ("PrivateKey = {}\n", fake.letters(43) + "="),
    ("-----BEGIN PRIVATE" + " KEY-----\n{}\n... (cut)\n$ ls", "\n".join(fake.pem_lines(3)[:3])),
    ("Private-Lines: 1\n{}\nPrivate-MAC: 00", fake.letters(60)),
    ("wget https://hooks.zapier.com/x -O {}", "https://hooks.slack.com/services/T0/B0/" + OPAQUE),
    ("A\tB\t{}", fake.github()),
    ("/home/{}/x", "ikeda"),
    ("file:///home/{}/x", "ikeda"),
    ("C:\\Users\\{}\\x", "ikeda"),
    ("C:\\\\Users\\\\{}\\\\x", "Noor Ikeda"),
    ("/mnt/c/Users/{}/x", "ikeda"),
    ("%2Fhome%2F{}%2Fx", "ikeda"),
    ("projects/-Users-{}-src/x", "ikeda"),
    ("-rw-r--r--  1 {}  staff  1 Mar 1 a", "ikeda"),
    ("USER={}\nHOME=/root", "ikeda"),
    ("uid=1000({}) gid=1", "ikeda"),
    ("$ whoami\n{}\n$", "ikeda"),
    ("Author: {} <noreply@x.dev>", "Noor Ikeda"),
    ('"author": "{} <bot@example.com>"', "Noor Ikeda"),
    ("git config user.name '{}'", "Noor Ikeda"),
    ("GIT_AUTHOR_NAME={}\n", "Noor Ikeda"),
    ("write to {} soon", "noor@ikeda.dev"),
    ("mailto:{}", "noor@ikeda.dev"),
    ("machine h login {} password none", "noor.ikeda"),
    ("export DB_PASSWORD=$(echo {} | base64 -d)", BASE64),
    ("seed phrase: {}\n", PHRASE),
    ("recovery codes:\n{}\nend", "ab12-cd34"),
    ("use {} as the password", SHORT),
    ("got Basic {} back", USER),
    ("cargo login {}", OPAQUE),
    ("Unseal Key 1: {}", OPAQUE),
    ('{{"username":"bo","key":"{}"}}', HEX),
    ("your API key: {}", OPAQUE),
    ('variable "db_password" {{\n  default = "{}"\n}}', SHORT),
    ("https://h/cb?code={}&state=x", OPAQUE),
    ('Authorization: Digest username="x", nonce="b", response="{}"', HEX),
    ("creds: bo:{}", SHORT),
    ("password:\n  value: {}\n", SHORT),
    ("GIPHY_KEY={}", OPAQUE),
    ('curl --cookie "theme=x; auth_token={}" h', OPAQUE),
    ("x --src-creds bo:{} h", SHORT),
    ("| DB_PASSWORD | {} |", OPAQUE),
    ('<string name="api_key">{}</string>', OPAQUE),
    ("<key>ApiKey</key>\n<string>{}</string>", OPAQUE),
]


def redacted(text: str, form: str = "text") -> str:
    document = Document.of("", text.encode(), "text" if form == "text" else None)
    redact([document], Redactor(Policy(values=True)))
    return document.result().decode()


@pytest.mark.parametrize(("place", "value"), PLACES, ids=[place for place, _ in PLACES])
def test_exactly_the_value_goes(place: str, value: str) -> None:
    around = place.format("\x01").split("\x01")
    result = redacted(place.format(value))
    assert PLACEHOLDER.sub("\x01", result).split("\x01") == around
    assert redacted(result) == result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("noor@ikeda-pc:~/x$ ls", "[user-1]@[host-1]:~/x$ ls"),
        ("[noor@ikeda-pc src]$ ls /home/noor", "[noor@ikeda-pc src]$ ls /home/[user-1]"),
        ("noor@ikeda-pc ~ % ls", "[user-1]@[host-1] ~ % ls"),
        ("ssh noor@build-7 and noor", "ssh [user-1]@[host-1] and [user-1]"),
        ("ssh-ed25519 " + "A" * 60 + " noor@pc", "ssh-ed25519 " + "A" * 60 + " [user-1]@[host-1]"),
        ("/home/ikeda/x ikedas ikeda.", "/home/[user-1]/x ikedas [user-1]."),
        ("Author: Noor Ikeda <noor@ikeda.dev>", "Author: [person-1] <[email-1]>"),
        ("  12\tNoor Ikeda <n@ikeda.dev>", "  12\t[person-1] <[email-1]>"),
        ("7→noor@ikeda-pc:~/x$", "7→[user-1]@[host-1]:~/x$"),
        ("+noor@ikeda-pc:~/x$ a\n+b", "+[user-1]@[host-1]:~/x$ a\n+b"),
    ],
)
def test_people_and_their_machines(text: str, expected: str) -> None:
    if text.startswith("[noor"):
        expected = "[[user-1]@ikeda-pc src]$ ls /home/[user-1]"
    assert redacted(text) == expected


STAYS = [
    "export API_KEY=${API_KEY} TOKEN=$TOKEN PASSWORD=$(cat x)",
    "PASSWORD={{ vault }} TOKEN=<your-token> KEY=%API_KEY%",
    "API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "GITHUB_TOKEN=op://vault/item/password",
    "OPENAI_API_KEY=process.env.DB_PASSWORD",
    "token: *** password: ...... secret: [REDACTED] key: [api-key-7]",
    "api_token: str = Field(default=None)",
    "token = secrets.token_urlsafe(32); secret = os.environ['X']",
    "const token = tokens[index].value; password = config.password",
    "private_key: PKCS7PrivateKeyTypes = None",
    "Bearer token authentication is required",
    "the password is required, the token is invalid, the key is public",
    "Password: must be at least 8 characters",
    "password_reset_url = '/accounts/password/reset/'",
    "PASSWORD_MIN_LENGTH=12 MAX_TOKENS=4096 TOKEN_BUDGET=200000",
    "next_page_token=K5ki3LJtilPt&sort_key=created_at",
    "public_key: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ",
    "GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568",
    "passwordHash: '$2b$12$Xewa1uaF83y5KziIr468EM3qg9EHlyM217fw9s'",
    'HEX_PAT = "[0-9A-Fa-f]{1,4}" TOKEN_RE = r"\\w+\\d{3}"',
    '"AWS::IAM::AccessKey": "62d91b17309e76c8"',
    "secret_name: prod/db/main secretRef: db-credentials-v2",
    "commit 2a6b4ae7b627ffa055a87b8f02f2a6429feb597e",
    "sha256:c5b287e271d586ac7349113948899a4af244039017b159488a053889eaa7931f",
    "uuid 8a6e0804-2bd0-4672-b79d-d97027f9071a trace 00-c78c5498c9b8f88ee139e2b263837853-01",
    "-----BEGIN CERTIFICATE-----\nMIIDazCCAlOgAwIBAgIU3MBeDlpIFBzGvRgwA4H4Tgw8\n-----END",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQgNsvBHcMUP572RYes\n-----END",
    "<img src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAwfe2MZRQck60fwVO'>",
    "task-notification-summary-completed-1234 disk-usage-report-generator-v2",
    "git@github.com:acme/app.git actions/checkout@v4.2.0 @types/node@22.1.0 x@latest",
    "noreply@anthropic.com bo@example.com 1+bot@users.noreply.github.com logo@2x.png",
    "/home/runner/work /home/user/app /Users/Shared/data ~/.cache C:\\Users\\Public\\x",
    "-rw-r--r-- 1 root root 1 a",
    "docker run -p 8080:80 -u 1000:1000 -e TOKEN img --password-stdin < /run/secrets/pw",
    "chown -R www-data:www-data /var/www; cp -p a b; ls -a --password-file ./x",
    "http://user:password@localhost postgres://postgres:postgres@db https://h:8080/@x",
    "input[type=password] { color: var(--token-color-primary); }",
    "x = data['primary_key_column_name']; if apiKey == '' {",
    "kind: Secret\ndata:\n  tls.crt: TUlJRGF6Q0NBbE9nQXdJQkFn\n",
    "Set-Cookie: theme=dark; Path=/\nCookie: lang=en; tz=utc",
    "Authorization: Digest username='x', uri='/x'",
    "sig=abc &signature=short https://h/x?sig=short",
    "https://h/x?sid=short&sid=0f8fad5b-d9cb-469f-a165-70867728950e sid=9f8e7d6c5b4a39281706f5e4",
    "0000000 050101 057511 042513 036531\n0000010 h e l l o\n0000020   a   b   c   d\n",
    '"auth": "required" auth: { type: "none" } "_auth": "bm90aGluZw=="',
    "echo $TOKEN_OF_THE_HARBOUR | docker exec app sh -c 'cat /srv/quay/board' | login --stdin\n" * 2
    + "2026-03-01T10:00:00.383Z INFO  [query] request done in 99 ms status=200",
    "the login name and the password field of the login form",
    "the task-force-went-home-early and password=[masked]",
    "café — 日本語のログ: token 🚀",
]


@pytest.mark.parametrize("text", STAYS)
def test_what_stays(text: str) -> None:
    assert redacted(text) == text
    assert redacted(text, "found") == text
