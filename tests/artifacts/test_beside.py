"""Secrets beside names in code, dialogues, outputs and stores go; what only looks so stays."""

from __future__ import annotations

import base64
import json

import pytest

from fake_secrets import Fake
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor

fake = Fake(51)
PASSWORDS = {"drawn": "Zq7" + fake.letters(9), "with signs": "aB3$kdF92m,pQ4"}
KEY = fake.letters(40)


def redacted(text: str, form: str = "text") -> str:
    document = Document.of("", text.encode(), "json" if form == "json" else "text")
    redact([document], Redactor(Policy(values=True)))
    return document.result_text()


PLACES = (
    "ds.setPassword('{v}');",
    'builder.withPassword("{v}").build()',
    'client.password("{v}")',
    'password = """{v}"""',
    'password = """\n{v}\n"""',
    'string password = @"{v}";',
    'Dim password As String = "{v}"',
    'const API_KEY: &str = r#"{v}{v}"#;',
    '{password, "{v}"}.',
    'static const char password[] = "{v}";',
    'char password[64] = "{v}";',
    'const password = process.env.DB_PASSWORD || "{v}";',
    "secret = os.environ.get('APP_SECRET') or '{v}'",
    "psql ${DB_PASSWORD:-{v}}".replace("{v}", "Zq7aB3WzjRc2"),
    '#define WIFI_PASS "{v}"',
    "new PDO('mysql:host=db', 'app', '{v}')",
    "DBI->connect('dbi:Pg:dbname=x','app','{v}')",
    "MySQLdb.connect('localhost', 'root', '{v}', 'db')",
    'WiFi.begin("Home", "{v}")',
    'new NetworkCredential("bo", "{v}")',
    'page.fill("#password", "{v}")',
    'page.getByLabel("Password").fill("{v}")',
    "cy.get('#password').type('{v}')",
    'driver.find_element(By.ID, "password").send_keys("{v}")',
    'bcrypt.hash("{v}", 10)',
    "jwt.sign(payload, '{v}')",
    'btoa("bo:{v}")',
    "<password><![CDATA[{v}]]></password>",
    "Password [None]: {v}\n",
    "Password:\nZq7aB3WzjRc2\n",
    "Admin password:\n\n    Zq7aB3WzjRc2\n",
    "password\nZq7aB3WzjRc2\n",
    "docker login --username bo --password-stdin r.io <<< '{v}'",
    "bundle config set gems.acme.io bo:{v}",
    "    Key Content            : {v}\n",
    "<keyMaterial>{v}</keyMaterial>",
    "snmp-server community {v} RO",
    "username admin privilege 15 password 0 {v}",
    "enable secret 0 {v}",
    "<auth-user-pass>\nbo\n{v}\n</auth-user-pass>",
    'expect "assword:"\nsend "{v}\\r"'.replace("{v}", "Zq7aB3WzjRc2"),
    "UPDATE users SET password = crypt('{v}', gen_salt('bf'));",
    "SET PASSWORD FOR bo = '{v}'",
    "mysqladmin -u root password {v}",
    "plink -pw {v} bo@h",
    "useradd -p '{v}' bo",
    "htpasswd -b -c .htpasswd bo {v}",
    "netlify env:set DB_PASSWORD {v}",
    "nmcli con modify x wifi-sec.psk {v}",
    "bindpw {v}",
    "[smtp.acme.io]:587 bo:{v}",
    "etcdctl --user root:{v} get /",
    "echo -n 'bo:{v}' | base64",
    "echo -n '{v}' | cryptsetup luksOpen /dev/sda x",
    "Das Passwort lautet {v}.",
    "Le mot de passe est : {v}",
    "La contrase\u00f1a es {v}",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f {v} \u3067\u3059\u3002",
    "\u041f\u0430\u0440\u043e\u043b\u044c: {v}",
    "ALTER ROLE app WITH PASSWORD '{v}';",
    "echo 'deploy:{v}' | sudo chpasswd",
    'ConvertTo-SecureString "{v}" -AsPlainText',
    "smbclient //s/x -U 'bo%{v}'",
    "nmcli dev wifi connect Home password '{v}'",
    "| Password | {v} |",
)


@pytest.mark.parametrize("kind", PASSWORDS)
@pytest.mark.parametrize("place", PLACES)
def test_what_stands_beside_a_name_goes(place: str, kind: str) -> None:
    value = PASSWORDS[kind]
    if "{v}" not in place:
        value = "Zq7aB3WzjRc2"
    assert value not in redacted(place.replace("{v}", value))


COMMANDS = (
    "jq -r .password creds.json",
    "terraform output -raw db_password",
    "printenv API_TOKEN",
    "echo $API_TOKEN",
    'echo "$DB_PASSWORD"',
    "cat /run/secrets/db_password",
    "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
    "op read op://vault/db/password",
    "pass show db/prod",
    "gcloud secrets versions access latest --secret=db",
    "doppler secrets get DB_PW --plain",
    "security find-generic-password -s x -w",
    "vault kv get -field=password secret/db",
    "aws secretsmanager get-secret-value --secret-id x --query SecretString --output text",
    "heroku config:get SECRET_KEY -a x",
    "git config --get x.token",
    "openssl rand -hex 16",
    "gh auth token",
)


@pytest.mark.parametrize("prompt", ["$ ", "> ", "bo@host:~/x$ ", "     1\t$ ", "+$ ", "PS C:\\x> "])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints_goes(command: str, prompt: str) -> None:
    value = PASSWORDS["drawn"]
    before = prompt[: -len(prompt.lstrip(" +0123456789\t"))] if prompt[0] in " +" else ""
    assert value not in redacted(f"{prompt}{command}\n{before}{value}\n{before}$ ls\n")


URLS = (
    "postgres://app:{v}@db.acme.io/x",
    "https://app:{v}@pypi.acme.io/simple",
    "mongodb+srv://app:{v}@c0.acme.io/x",
    "redis://:{v}@cache:6379/0",
)


@pytest.mark.parametrize(
    "value", ["Zq62HkL#4iHEC", "Zq62H/kL4iHEC", "Zq62?HkL4iHEC", "MteFaKK#KDcdV"]
)
@pytest.mark.parametrize("url", URLS)
def test_passwords_in_addresses_with_odd_signs(url: str, value: str) -> None:
    assert value not in redacted(f"x {url.replace('{v}', value)}\n")


def test_dialogue_of_a_command() -> None:
    assert KEY not in redacted(
        f"AWS Secret Access Key [None]: {KEY}\nDefault region name [None]: \n"
    )


HASHES = (
    "root:$6$a21DSGYcq4QMrpIj$" + fake.letters(86) + ":19000:0:99999:7:::\n",
    "bo:$y$j9T$" + fake.letters(22) + "$" + fake.letters(43) + ":19000::::::\n",
    "bo:$apr1$mT1XQobR$" + fake.letters(22) + "\n",
    "bo:$2y$05$" + fake.letters(53) + "\n",
    "bo:{SHA}" + fake.letters(27) + "=\n",
)


@pytest.mark.parametrize("line", HASHES)
def test_hashes_of_passwords_in_their_files(line: str) -> None:
    assert "[password-hash-1]" in redacted("x:x:1\n" + line)


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_stores_of_secrets_answer(form: str) -> None:
    value = PASSWORDS["drawn"]
    inner = json.dumps({"username": "app", "pw": value})
    for answer in (
        {"Name": "db", "SecretString": inner},
        {"Name": "db", "SecretString": value},
        {"Parameter": {"Name": "/x/db", "Type": "SecureString", "Value": value}},
        {"output": json.dumps({"P": {"Name": "a", "Type": "SecureString", "Value": value}})},
    ):
        for indent in (None, 2):
            assert value not in redacted(json.dumps(answer, indent=indent), form)


def test_a_login_of_mail() -> None:
    value = base64.b64encode(b"Zq7aB3WzjRc2").decode()
    assert value not in redacted(f"C: AUTH LOGIN\nS: 334 UGFzc3dvcmQ6\nC: {value}\n")


STAYS = (
    'getPassword("db-prod-4f8k2a")',
    't("password")',
    'form.password("Enter your password")',
    'setPassword("changeme")',
    "setPassword(user.getPassword())",
    'setTokenType("bearer4x7")',
    'password = """Enter the password for the account"""',
    'const char tokens[] = "Zq7aB3WzjRc2";',
    'labels["password"] = "Password";',
    "secret = os.environ.get('APP_SECRET') or ''",
    'const name = process.env.SECRET_NAME || "db-prod-4f8k2a";',
    "${DB_PASSWORD:-changeme} ${DB_PASSWORD:-} ${DB_PASSWORD:-${OTHER}} ${IMAGE_TAG:-v4f8k2aZ9}",
    '#define PASSWORD_MAX "Zq7aB3WzjRc2"',
    "#define SECRET_H\n",
    "if (isSecret(token) or check(password)) and api_key[0] or name:\n    pass\n",
    "const token = getToken() || next(token) || 'none';",
    'page.fill("#username", "Zq7aB3WzjRc2")',
    'page.getByLabel("Search").fill("Zq7aB3WzjRc2")',
    "cy.get('#password').type('{enter}')",
    "cy.get('#password').should('be.visible')",
    "<password><![CDATA[${DB_PASSWORD}]]></password>",
    "Default output format [None]: Zq7aB3WzjRc2\n",
    "[1]: https://example.org/Zq7aB3WzjRc2\n",
    "Password:\nrequired\n",
    "password\nmust have 12 characters, 3of4 kinds\n",
    "token:\n  secretName: db\n",
    "secret:\n    web-tls-4f8k2a:\n",
    "docker run x <<< 'Zq7aB3WzjRc2'",
    "snmp-server community public RO",
    "enable password encryption",
    "La contrase\u00f1a es obligatoria",
    "Das Passwort ist erforderlich. Das Passwort lautet ****",
    "\u041f\u0430\u0440\u043e\u043b\u044c: ********",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f\u5fc5\u9808\u3067\u3059",
    "jwt.sign(payload, process.env.JWT_SECRET)",
    "bcrypt.hash(password, 10)",
    'btoa("hello")',
    "echo -n 'hello' | base64",
    "$ jq -r .version package.json\n4f8k2aZ9Zq7x\n",
    "$ jq -r .tokenCount x.json\n4f8k2aZ9Zq7x\n",
    "$ git rev-parse HEAD\n8f14e45fceea167a5a36dedd4bea2543f3b2c1d0\n",
    "$ terraform output -raw bucket_name\nacme-4f8k2aZ9Zq7x\n",
    "$ kubectl get secret db\nNAME   TYPE     DATA   AGE\n",
    "$ cat secrets.md\nSecrets are in the vault\n",
    "$ echo $HOSTNAME\nip-4f8k2aZ9Zq7x\n",
    "$ cat /run/secrets/readme\nREADME.md\n",
    "$ pass show db/prod\nError: NotInStore\n",
    "$ op read op://vault/db/password\nNotSignedInError\n",
    "http://host:some#Fragment@x",
    "$ git config --get user.signingformat\n4f8k2aZ9Zq7x\n",
    "the token is printed by printenv API_TOKEN\nbuild4f8k2aZ9Zq7x\n",
    "https://x.io:8080/a/b@2x.png https://h:443#a1b2c3@x http://h:3000/#/u4f8k2@home",
    "docker://registry:tag/name@sha256 git+ssh://git:org/repo.git@v1.2.3",
    "postgres://app:${DB_PASSWORD}@db/x postgres://user:password@db/x#y",
    "postgres://HOST:PORT/PATH@x http://localhost:${PORT}/a@b",
    "passwordHash: '$2b$12$Xewa1uaF83y5KziIr468EM3qg9EHlyM217fw9s'",
    "root:*:19000:0:99999:7:::\nbin:!!:19000::::::\nbo:x:1000:1000:\n",
    '{"Parameter": {"Name": "/x/db", "Type": "String", "Value": "Zq7aB3WzjRc2"}}',
    '{"Name": "db", "SecretString": "****"}',
    '{"pw": "none", "pass": "ok", "pwd": "/srv/app"}',
)


@pytest.mark.parametrize("text", STAYS)
def test_what_only_looks_so_stays(text: str) -> None:
    assert redacted(text) == text
