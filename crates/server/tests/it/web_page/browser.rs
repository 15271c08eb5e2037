//! A real Chromium that a test drives: it opens the page, presses keys, and says what went wrong.

use std::{path::PathBuf, process::Stdio, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// Longer than anything on the page takes, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(40);
const PROGRAMS: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];
/// The browser expects its pipes at descriptors 3 and 4.
const BECOME_BROWSER: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

pub struct Browser {
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    session: Option<String>,
    /// Exceptions, errors in the log and violations of the page's policy.
    pub problems: Vec<String>,
    /// Every address that was asked for.
    pub requests: Vec<String>,
    _profile: TempDir,
}

fn program() -> PathBuf {
    let folders = ["/usr/bin", "/usr/local/bin", "/opt/google/chrome"];
    let all = folders
        .iter()
        .flat_map(|folder| PROGRAMS.map(|name| PathBuf::from(folder).join(name)));
    let mut found = all.filter(|path| path.is_file());
    found.next().expect("a Chromium on this machine")
}

impl Browser {
    pub async fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("/bin/sh")
            .args(["-c", BECOME_BROWSER])
            .arg(program())
            .args(["--headless", "--no-sandbox", "--remote-debugging-pipe"])
            .args(["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut browser = Browser {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            _child: child,
            next: 0,
            session: None,
            problems: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let page = json!({"url": "about:blank"});
        let target = browser.command("Target.createTarget", page).await["targetId"].clone();
        let attach = json!({"targetId": target, "flatten": true});
        let session = browser.command("Target.attachToTarget", attach).await;
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser
                .command(&format!("{domain}.enable"), json!({}))
                .await;
        }
        browser.resize(1280, 900).await;
        browser
    }

    pub async fn open(&mut self, url: &str) {
        self.command("Page.navigate", json!({ "url": url })).await;
        self.until("document.readyState === 'complete'").await;
    }

    /// Sends a command and waits for its result. Events on the way are noted.
    pub async fn command(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).await.unwrap();
        loop {
            let mut bytes = Vec::new();
            let reading = self.output.read_until(0, &mut bytes);
            let read = tokio::time::timeout(PATIENCE, reading).await;
            assert!(
                read.expect("an answer in time").unwrap() > 0,
                "the browser ended"
            );
            bytes.pop();
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.problems.push(params.to_string()),
            "Log.entryAdded" if params["entry"]["level"] != "verbose" => {
                self.problems.push(params["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str();
                self.requests.extend(url.map(str::to_owned));
            }
            _ => {}
        }
    }

    pub async fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.command("Runtime.evaluate", params).await;
        let failed = &answer["exceptionDetails"];
        assert!(failed.is_null(), "{expression}: {failed}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub async fn until(&mut self, expression: &str) {
        let waiting = async {
            while self.evaluate(expression).await != json!(true) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
            let text = self.evaluate("document.body.innerText").await;
            panic!("never true: {expression}\n{text}\n{:?}", self.problems);
        }
    }

    /// Waits until the page shows these words.
    pub async fn until_shown(&mut self, words: &str) {
        let words = json!(words);
        self.until(&format!("document.body.innerText.includes({words})"))
            .await;
    }

    /// Presses a key: `Tab`, `Enter`, an arrow, or `Shift+Tab` and `Control+Enter`.
    pub async fn press(&mut self, key: &str) {
        let (modifiers, key) = match key.split_once('+') {
            Some(("Shift", key)) => (8, key),
            Some(("Control", key)) => (2, key),
            _ => (0, key),
        };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 32,
        };
        let mut down = json!({"type": "keyDown", "key": key, "code": key, "modifiers": modifiers, "windowsVirtualKeyCode": code});
        match key {
            "Enter" => down["text"] = json!("\r"),
            " " => down["text"] = json!(" "),
            _ => {}
        }
        self.command("Input.dispatchKeyEvent", down.clone()).await;
        down["type"] = json!("keyUp");
        self.command("Input.dispatchKeyEvent", down).await;
    }

    pub async fn type_text(&mut self, text: &str) {
        self.command("Input.insertText", json!({ "text": text }))
            .await;
    }

    pub async fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.command("Emulation.setDeviceMetricsOverride", size)
            .await;
    }

    /// Lets the page believe in a setting of the system, such as `prefers-color-scheme`.
    pub async fn prefer(&mut self, name: &str, value: &str) {
        let features = json!({"features": [{"name": name, "value": value}]});
        self.command("Emulation.setEmulatedMedia", features).await;
    }

    /// Fails when a script threw, the policy was violated or another server was asked.
    pub fn assert_clean(&self, origin: &str) {
        assert!(self.problems.is_empty(), "{:#?}", self.problems);
        let is_foreign = |url: &&String| !url.starts_with(origin) && *url != "about:blank";
        let foreign: Vec<_> = self.requests.iter().filter(is_foreign).collect();
        assert!(foreign.is_empty(), "{foreign:?}");
    }
}
