//! What must stay because of the place it stands in: source code, manuals, translations, listings.
//! Each row is one class that public repositories or a blind set showed to be changed.

use super::keep::{Line, check};

const SOURCE: &[Line<'_>] = &[
    (
        "types with digits",
        "applicationServerKey: urlBase64ToUint8Array(getApplicationServerKey()),",
    ),
    (
        "name of an algorithm",
        "// PBKDF2Opts contains options for the key derivation",
    ),
    ("pointer to a type", "initialToken *oauth2.Token"),
    ("authentication by name", "require_auth=scram-sha-256"),
    ("constant without quotes", "    cur_token = IDENT;"),
    ("field to field", "        this.sessionKey = sessionKey;"),
    ("member of an enum", "  FORGOT_PASSWORD = 5;"),
    ("type of a field", "  protected password: FormControl;"),
    (
        "pattern",
        "description: public key\npattern: ^(EOS|PUB_([RK]1|WA)_)[1-9A-HJ-NP-Za-km-z]+$",
    ),
    (
        "alphabet",
        "allowedCharacters: 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    ),
    (
        "bound attribute",
        "<app-strength [password]=\"filePassword\" [showText]=\"true\">",
    ),
    (
        "words in brackets",
        "{ user_role: { permissions_as_keys: %w(manage_roles manage_users) } }",
    ),
    (
        "imported module",
        "import ControlPassword from \"forum/form-kit/components/control/password2\";",
    ),
    (
        "place of the same document",
        "api_secret:\n  $ref: \"#/components/schemas/api_secret\"",
    ),
    (
        "field of a message",
        "protobuf_key:\"bytes,1,opt,name=key,proto3\" protobuf_val:\"bytes,2\"",
    ),
    (
        "code without blanks",
        "t={token:null,key:\"\"};function n(r){return t.token=r,e+=1}return{setToken:n,v:\"11.5.7\"}",
    ),
    (
        "package by its path",
        "\tcredUserpass \"git.example.com/acme/vault/builtin/credential/userpass\"",
    ),
    (
        "call in a manual",
        "stored passwords as `md5($password)` before",
    ),
    (
        "made in code",
        "unsealKeys := make([]string, len(cluster.BarrierKeys))",
    ),
    (
        "object from a text",
        "blob_two=$(echo two | git hash-object -w --stdin)",
    ),
];

const MANUALS: &[Line<'_>] = &[
    (
        "help of an option",
        "  -W, --password           force password prompt",
    ),
    (
        "sentence after an option",
        "Typing --with-token repeatedly is time-consuming and invites mistakes.",
    ),
    (
        "commit of a repository",
        "see https://git.example.com/acme/integrations/commit/aa63e1f6a61d2a017e1f88af2735db129cc68e0c",
    ),
    (
        "image with its digest",
        "FROM images.example.io/rust:1.92-alpine3.22-dev@sha256:49eb72825a9e15fe48f2c4875a63c7e7f52a5b430bb52b8254b91d132aa5bf38",
    ),
    (
        "title of a page",
        "https://community.example.io/t/new-iec62056-21-component-for-esp/555236",
    ),
    (
        "picture",
        "[large-icon]: /images/integrations/alexa/alexa-512x512.png",
    ),
    (
        "passed test",
        "    --- PASS: TestIntMinTableDriven/2,-2 (0.00s)",
    ),
    (
        "number of a process",
        "host12345 passwd[9999999]: pam_unix(passwd:chauthtok): password changed for bob",
    ),
    (
        "line of accounts",
        "- Add line to /etc/passwd: hass:x:10001:10001:hass:/var:/bin/false",
    ),
    (
        "secret of a build",
        "docker build --secret id=sentry_auth_token,env=SENTRY_AUTH_TOKEN .",
    ),
    (
        "next option",
        "  --docker-password=<your-access-token> \\\n  --docker-email=<your-email>",
    ),
    (
        "shortcut",
        "\"suggested_key\": {\n  \"default\": \"Ctrl+Shift+Y\"",
    ),
    (
        "author of a change",
        "remove the need to specify the router password ([@Flavien] - [#8335])",
    ),
    (
        "table of settings",
        "| `ghtoken` | `cache-to` | String | | token for the API |",
    ),
    (
        "command with gaps",
        "- Delete all values under a key:\n\n`reg delete {{key_name}} /f /va`",
    ),
    (
        "diagram in an address",
        "[figure 7](https://charts.example.io/edit/#eyJjb2RlIjoiZ3JhcGggIExSXG4gIGNsaWVudChbY2xpZW50XSktLiBJbmdyZXNz)",
    ),
    (
        "list of secrets",
        "ID                          NAME                DRIVER\neo7jnzguqgtpdah3cm5srfb97   my_secret",
    ),
    (
        "words for the value",
        "curl -H \"Authorization: Bearer OAUTH-TOKEN\" https://api.example.com/user",
    ),
    (
        "rule of a form",
        "->password('What is your password?', validate: ['password' => 'min:8'])",
    ),
    (
        "heading of the page",
        "- [V6.2 Password Security](#v62-password-security)",
    ),
    (
        "option with a gap",
        "keytool -delete -keystore <keystore>.jks -storepass <password> -alias <key>",
    ),
    (
        "received key",
        "gpg --keyserver hkp://keys.example.com:80 --recv-keys C5AD17C747E3415A3642D57D77C6C491D6AC1D69",
    ),
    (
        "counter of visitors",
        "gtag('config', 'G-4LZMYF9NZH'); gtag('event', 'login', {method: 'password'});",
    ),
    (
        "token of a request",
        "\"KeyName\": \"arrow-keypair\",\n\"ClientToken\": \"d507791c-46c2-4908-9852-eb65f1a54126\"",
    ),
    (
        "key of a manual",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
    (
        "id of an entry",
        "<item><title>Why passkeys replace passwords</title><guid isPermaLink=\"false\">ab062a59-8a6f-487e-933b-745b0ac7ce49</guid><pubDate>Thu, 06 Feb 2025 01:42:41 GMT</pubDate></item>",
    ),
];

const TRANSLATIONS: &[Line<'_>] = &[
    ("Esperanto", "        password: Pasvorto"),
    ("Bulgarian", "        password: Парола"),
    ("Korean", "        password: 암호"),
    ("Icelandic", "        password: Lykilorð"),
    (
        "demand in Galician",
        "        password: Utiliza 8 caracteres ao menos",
    ),
    (
        "text of a window",
        "<string name=\"textfield_hide_password\">Skjul passord</string>",
    ),
    (
        "Chinese text of a window",
        "<string name=\"textfield_hide_password\">隐藏密码</string>",
    ),
];

#[test]
fn source_code_stays() {
    check(SOURCE);
}

#[test]
fn manuals_and_listings_stay() {
    check(MANUALS);
}

#[test]
fn translations_stay() {
    check(TRANSLATIONS);
}
