#!/usr/bin/env python3
"""Collects texts that others wrote, for `corpus::outside`.

    collect.py DIRECTORY > texts.jsonl

DIRECTORY holds clones, each as OWNER+NAME (a work tree, or a bare repository in OWNER+NAME/repo);
those that are missing are skipped. Whole repositories are held out. What a scanner itself says is
secret (its expected findings, the marks in its test files) counts as secret here; where it only
says that a text has one, the text must change.
"""

import ast
import json
import os
import re
import subprocess
import sys

DIRECTORY = sys.argv[1] if len(sys.argv) > 1 else "."
PART_LINES = 30
MOST_PARTS = 1500
# Not credentials: identifiers, addresses, and what only its scanner would call secret.
NO_CREDENTIALS = {
    "UUID", "AWS S3 Bucket", "Firebase Domain", "Tencent WeChat API App ID", "Nonce", "AWS Client ID",
    "AWSAccountID", "AWSAccessKeyID", "AzureTenantId", "AzureClientId", "HOMEDIR", "PATTERN",
    "FOUND_DOTENV_FILE", "EXAMPLE_MESSAGE", "PrivateKeyP12", "PrivateKeyJSON",
}


def git_directory(name):
    for place in (f"{DIRECTORY}/{name}/repo", f"{DIRECTORY}/{name}/.git", f"{DIRECTORY}/{name}"):
        if os.path.exists(f"{place}/HEAD"):
            return place
    return None


def git(name, *words):
    return subprocess.run(
        ["git", f"--git-dir={git_directory(name)}", *words], check=True, capture_output=True
    ).stdout


def files(name, under):
    listed = git(name, "ls-tree", "-r", "--name-only", "-z", "HEAD", *([under] if under not in ("", ".") else []))
    return [path for path in listed.decode("utf-8", "replace").split("\0") if path]


def read(name, path):
    try:
        text = git(name, "show", f"HEAD:{path}").decode("utf-8")
    except (UnicodeDecodeError, subprocess.CalledProcessError):
        return None
    return None if "\0" in text else text.replace("\r\n", "\n")


# Rules of kingfisher that find addresses and names, which other rules need.
NO_KEY = re.compile(r"\b(ID|Id|Domain|Hostname|Host|URL|URI|Account|Endpoint|Email|Instance)$")

SEEN = set()


def give(name, path, text, secrets, held_out, changes=False):
    line = {"id": f"{name}/{path}", "text": text, "secrets": sorted(set(secrets)), "held_out": held_out}
    if changes:
        line["changes"] = True
    key = (text, tuple(line["secrets"]), changes)
    if text.strip() and key not in SEEN:
        SEEN.add(key)
        print(json.dumps(line))


def around(text, secret, start=0, lines=4):
    """The text with a few lines around the secret."""
    at = text.find(secret, start)
    before = text[:at].split("\n")
    after = text[at + len(secret):].split("\n")
    head = "\n".join(before[-lines - 1:])
    tail = "\n".join(after[:lines + 1])
    return head + secret + tail


def leaks(secret, text):
    """Whether half of the secret, or six characters of it, are there, as in `corpus::leaks`."""
    size = min(max(len(secret) // 2, 6), len(secret))
    return any(secret[at: at + size] in text for at in range(len(secret) - size + 1))


def credsweeper(name, held_out):
    for finding in json.loads(read(name, "tests/data/output.json")):
        if finding["rule"] in NO_CREDENTIALS:
            continue
        lines = finding["line_data_list"]
        path = lines[0]["path"].removeprefix("./")
        if ".pdf" in path or ":" in path or any(it["info"] for it in lines):
            continue
        value = lines[0]["value"] if len(lines) == 1 else "\n".join(it["value"] for it in lines)
        text = read(name, path)
        if text is None:
            continue
        if len(lines) > 1:
            values = [it["value"] for it in lines]
            if finding["rule"].endswith("Private Key"):
                values = values[1:-1]
            whole = "\n".join(text.split("\n")[max(0, lines[0]["line_num"] - 4): lines[-1]["line_num"] + 3])
            values = [it for it in values if len(it) >= 8 and it in whole]
            if values:
                give(name, path, whole, values, held_out)
            continue
        own = lines[0]["line"]
        if own not in text or value not in own or len(value) < 4:
            continue
        number = lines[0]["line_num"]
        part = text.split("\n")[max(0, number - 4): number + 3]
        part = "\n".join(part)
        if leaks(value, part.replace(own, "")):
            part = own
        if value in part and len(part) < 20000:
            give(name, path, part, [value], held_out)


def kingfisher(name, held_out):
    import yaml
    for path in files(name, "data/rules"):
        if not path.endswith(".yml"):
            continue
        for rule in yaml.safe_load(read(name, path)).get("rules", []):
            if rule.get("visible") is False or NO_KEY.search(rule["name"]):
                continue
            pattern = rule["pattern"]
            for example in rule.get("examples") or []:
                example = str(example)
                secret = None
                try:
                    match = re.search(python_pattern(pattern), example)
                    if match:
                        groups = [it for it in match.groups() if it]
                        named = match.groupdict().get("TOKEN")
                        secret = named or (groups[-1] if groups else match.group(0))
                        address = re.search(r"://[^/:@]*:([^@/]+)@", secret)
                        secret = address.group(1) if address else secret
                except re.error:
                    pass
                if secret and secret.startswith("-----BEGIN"):
                    secret = None
                give(name, path, example, [secret] if secret else [], held_out, changes=secret is None)


def python_pattern(pattern):
    flags = "".join(sorted(set("".join(re.findall(r"\(\?([xims]+)\)", pattern)))))
    pattern = re.sub(r"\(\?[xims]+\)", "", pattern)
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9")
    return f"(?{flags})" + pattern if flags else pattern


def secretlint(name, held_out):
    for path in files(name, "packages/@secretlint"):
        rule = path.split("/")[2]
        if "/snapshots/" not in path or not path.endswith("/output.json"):
            continue
        if rule in ("config-loader", "formatter", "tester") or "preset" in rule or "filter" in rule or "pattern" in rule:
            continue
        folder = path.rsplit("/", 1)[0]
        inputs = [it for it in files(name, folder) if it.rsplit("/", 1)[1].startswith(("input.", ".npmrc"))]
        if not inputs or not (text := read(name, inputs[0])):
            continue
        messages = [it for it in json.loads(read(name, path)).get("messages", [])]
        if not messages and "/ok" in path:
            give(name, inputs[0], text, [], held_out)
        for message in messages:
            if message.get("messageId") in NO_CREDENTIALS:
                continue
            for field, value in (message.get("data") or {}).items():
                if field == "typeName" or value not in text:
                    continue
                if field in ("URI", "CREDENTIAL"):
                    pair = re.search(r"(?:://|^)[^:/@]*:([^@/]+)@?", value)
                    value = pair.group(1) if pair else value
                if field == "URL":
                    value = value.rsplit("/", 1)[1]
                if field == "KEY" and "-----BEGIN" in value:
                    inner = [it for it in re.split(r"\n|\\n", value) if len(it) > 20 and "-----" not in it]
                    give(name, inputs[0], around(text, value), inner, held_out, changes=not inner)
                    continue
                give(name, inputs[0], around(text, value), [value], held_out)


def semgrep(name, held_out):
    for path in files(name, "generic/secrets/security"):
        if path.endswith((".yaml", ".yml")) or not (text := read(name, path)):
            continue
        lines = text.split("\n")
        if any(word in path for word in ("account-id", "access-key-id", "gcm-service")):
            continue
        for at, line in enumerate(lines[:-1]):
            if re.search(r"\bruleid\s*:", line):
                give(name, path, lines[at + 1], [], held_out, changes=True)
            elif re.search(r"\bok\s*:", line):
                give(name, path, lines[at + 1], [], held_out)


def fake_leaks(name, held_out):
    for path in files(name, ""):
        parts = path.split("/")
        if parts[0] == "cui" or len(parts) < 3 or parts[1] not in ("valid", "invalid"):
            continue
        text = read(name, path)
        if text and parts[1] == "valid":
            give(name, path, text, [], held_out, changes=True)


def leaky_repo(name, held_out):
    """The list says how many lines of a file have a risk; a file must change."""
    for line in read(name, ".leaky-meta/secrets.csv").split("\n"):
        cells = line.split(",")
        if line.startswith("#") or len(cells) < 3 or not cells[1].strip().isdigit() or int(cells[1]) == 0:
            continue
        text = read(name, cells[0].strip())
        if text:
            give(name, cells[0].strip(), text, [], held_out, changes=True)


def trivy(name, held_out):
    """Its expected findings show the lines with stars in place of the secret."""
    test = read(name, "pkg/fanal/secret/scanner_test.go")
    shown = set(re.findall(r'Content:\s*("(?:[^"\\]|\\.)*\*{6,}(?:[^"\\]|\\.)*")', test))
    patterns = []
    for content in shown:
        content = ast.literal_eval(content)
        pieces = re.split(r"(\*{6,})", content)
        made = "".join(f"(.{{{len(it)}}})" if re.fullmatch(r"\*{6,}", it) else re.escape(it) for it in pieces)
        patterns.append(re.compile(made))
    for path in files(name, "pkg/fanal/secret/testdata"):
        text = read(name, path)
        if not text or len(text) > 100_000:
            continue
        for line in text.split("\n"):
            secrets = {it for pattern in patterns if (match := pattern.fullmatch(line)) for it in match.groups()}
            secrets = {it for it in secrets if set(it) != {"*"} and " " not in it}
            for secret in secrets:
                give(name, path, around(text, secret, text.find(line)), [secret], held_out)


def harmless(name, unders, ends, held_out):
    count = 0
    for under in unders:
        for path in sorted(files(name, under)):
            if not path.endswith(ends):
                continue
            text = read(name, path)
            if text is None or len(text) > 2_000_000:
                continue
            lines = text.split("\n")
            for at in range(0, len(lines), PART_LINES):
                if count >= MOST_PARTS:
                    return
                part = "\n".join(lines[at: at + PART_LINES])
                if len(part) > 100:
                    count += 1
                    give(name, path, part, [], held_out)


SCANNERS = [
    ("Samsung+CredSweeper", credsweeper, False),
    ("mongodb+kingfisher", kingfisher, False),
    ("secretlint+secretlint", secretlint, True),
    ("semgrep+semgrep-rules", semgrep, True),
    ("leaktk+fake-leaks", fake_leaks, True),
    ("Plazmaz+leaky-repo", leaky_repo, True),
    ("aquasecurity+trivy", trivy, True),
]

SOURCE = (".py", ".rs", ".go", ".js", ".ts", ".java", ".hs", ".c", ".h", ".php", ".rb", ".md", ".rst", ".txt", ".adoc", ".html", ".json", ".yml", ".yaml", ".log", ".css")
LOGS = ("Android", "Apache", "BGL", "HDFS", "HPC", "Hadoop", "HealthApp", "Linux")
OTHER_LOGS = ("Mac", "OpenSSH", "OpenStack", "Proxifier", "Spark", "Thunderbird", "Windows", "Zookeeper")

HARMLESS = [
    ("logpai+loghub", LOGS, (".log",), False),
    ("logpai+loghub", OTHER_LOGS, (".log",), True),
    ("django+django", ("docs",), (".txt",), False),
    ("prometheus+prometheus", ("docs", "promql", "tsdb"), SOURCE, False),
    ("psf+requests", ("docs", "src"), SOURCE, False),
    ("searxng+searxng", ("docs", "searx/engines"), SOURCE, False),
    ("rust-lang+book", ("src",), SOURCE, False),
    ("sphinx-doc+sphinx", ("doc", "sphinx"), SOURCE, False),
    ("apache+tika", ("tika-core/src/main",), SOURCE, False),
    ("axios+axios", ("lib", "README.md", "CHANGELOG.md"), SOURCE, False),
    ("tokio-rs+tokio", (".",), SOURCE, True),
    ("fluent+fluent-bit-docs", (".",), SOURCE, True),
    ("expressjs+express", (".",), SOURCE, True),
    ("caddyserver+website", (".",), SOURCE, True),
    ("pallets+flask", ("docs", "src"), SOURCE, True),
    ("logstash-plugins+logstash-patterns-core", (".",), SOURCE, True),
    ("jgm+pandoc", ("doc", "src", "MANUAL.txt"), SOURCE, True),
    ("asciidoctor+asciidoctor", ("docs", "lib"), SOURCE, True),
]


def main():
    for name, collect, held_out in SCANNERS:
        if git_directory(name):
            collect(name, held_out)
    for name, unders, ends, held_out in HARMLESS:
        if git_directory(name):
            harmless(name, unders, ends, held_out)


main()
