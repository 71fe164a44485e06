//! Drives a headless Chromium: one browser with one page.
//!
//! Responsible for starting and ending the browser, for its debugging protocol, and for remembering what a test must not
//! overlook: console errors, exceptions, failed requests, and every address asked for, by the page and its workers.
//! Judges none of it.
//!
//! The protocol runs over a pair of pipes (`--remote-debugging-pipe`: JSON messages that end in a zero byte, from the
//! browser's descriptor 3 and to its 4), so neither a port nor a WebSocket client is needed.

#![expect(clippy::unwrap_used, reason = "a helper of tests: what cannot go on fails the test")]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How long any one step may take: a software renderer on a busy machine is slow, a hang is far slower.
const PATIENCE: Duration = Duration::from_secs(90);

/// The names Chromium goes by, and Chrome's, which does as well.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS: [&str; 12] = [
    "--headless=new",
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--window-size=1280,800",
    // Nothing but this machine can be reached, whatever a page asks for.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// The path of a Chromium: `CHROMIUM` if set, else the first on `PATH`.
pub fn find() -> Option<PathBuf> {
    if let Some(chosen) = env::var_os("CHROMIUM") {
        return Some(PathBuf::from(chosen));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).flat_map(|dir| PROGRAMS.map(|name| dir.join(name))).find(|file| file.is_file())
}

/// A page in a browser of its own. The browser ends when this is dropped.
pub struct Page {
    browser: Child,
    pipe: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    sent: u64,
    loaded: bool,
    /// Address of each request by its id, to name it when it fails.
    addresses: BTreeMap<String, String>,
    /// Every address requested, in order.
    pub requests: Vec<String>,
    /// Requests without an answer or with a status from 400 on, those given up by the page itself excepted.
    pub failures: Vec<String>,
    /// What the console shows in red, and exceptions nobody caught.
    pub errors: Vec<String>,
    /// Removed after the browser that writes to it has ended.
    _profile: tempfile::TempDir,
}

impl Page {
    /// Starts `program` and opens `url`; returns when the load event has fired.
    pub fn open(program: &Path, url: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut browser = launch(program, profile.path());
        let pipe = browser.stdin.take().unwrap();
        let output = BufReader::new(browser.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let mut page = Self {
            browser,
            pipe,
            messages,
            session: String::new(),
            sent: 0,
            loaded: false,
            addresses: BTreeMap::new(),
            requests: Vec::new(),
            failures: Vec::new(),
            errors: Vec::new(),
            _profile: profile,
        };
        page.attach();
        page.call("Page.navigate", &json!({ "url": url }));
        page.wait_until_loaded();
        page
    }

    fn attach(&mut self) {
        let target = self.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = self.call("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        attached["sessionId"].as_str().unwrap().clone_into(&mut self.session);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
        // MapLibre fetches tiles in workers: each is held until its requests are watched as well.
        let workers = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        self.call("Target.setAutoAttach", &workers);
    }

    /// The value of a JavaScript expression, awaited if it is a promise; an exception fails the test.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let arguments = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &arguments);
        let thrown = &answer["exceptionDetails"];
        assert!(
            thrown.is_null(),
            "{expression}\nthrew {thrown}\nerrors {:?}\nfailures {:?}",
            self.errors,
            self.failures
        );
        answer["result"]["value"].clone()
    }

    /// Moves the mouse to a point of the viewport (CSS pixels) and clicks.
    pub fn click(&mut self, x: f64, y: f64) {
        for (kind, button, count) in
            [("mouseMoved", "none", 0), ("mousePressed", "left", 1), ("mouseReleased", "left", 1)]
        {
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Writes what the page looks like to `target/screenshots/<name>.png`.
    pub fn screenshot(&mut self, name: &str) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("screenshots");
        fs::create_dir_all(&folder).unwrap();
        let answer = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let png = decode_base64(answer["data"].as_str().unwrap());
        assert!(png.starts_with(b"\x89PNG"), "the screenshot is a PNG file");
        fs::write(folder.join(format!("{name}.png")), png).unwrap();
    }

    fn wait_until_loaded(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        while !self.loaded {
            self.pump(deadline, "the load event");
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let session = self.session.clone();
        let id = self.send(&session, method, params);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let message = self.pump(deadline, method);
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn send(&mut self, session: &str, method: &str, params: &Value) -> u64 {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if !session.is_empty() {
            message["sessionId"] = json!(session);
        }
        self.pipe.write_all(message.to_string().as_bytes()).unwrap();
        self.pipe.write_all(&[0]).unwrap();
        self.sent
    }

    /// Takes one message from the browser and remembers what it tells.
    fn pump(&mut self, deadline: Instant, waiting_for: &str) -> Value {
        let left = deadline.saturating_duration_since(Instant::now());
        let message = self.messages.recv_timeout(left).unwrap_or_else(|error| {
            panic!("no {waiting_for} from Chromium: {error}\nerrors {:?}\nfailures {:?}", self.errors, self.failures)
        });
        if let Some(method) = message["method"].as_str() {
            self.note(method, &message["params"]);
        }
        message
    }

    fn note(&mut self, method: &str, params: &Value) {
        match method {
            "Page.loadEventFired" => self.loaded = true,
            "Target.attachedToTarget" => self.watch_worker(params),
            "Network.requestWillBeSent" => self.note_request(params),
            "Network.responseReceived" => self.note_response(&params["response"]),
            "Network.loadingFailed" if params["canceled"] != true => self.note_failure(params),
            "Runtime.exceptionThrown" => self.errors.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" => self.errors.push(params["args"].to_string()),
            "Log.entryAdded" if params["entry"]["level"] == "error" => self.errors.push(params["entry"].to_string()),
            _ => {}
        }
    }

    fn watch_worker(&mut self, params: &Value) {
        // The page itself is reported too, as an answer to our own attaching: it needs nothing more.
        if params["targetInfo"]["type"] == "page" {
            return;
        }
        let session = params["sessionId"].as_str().unwrap().to_owned();
        for method in ["Network.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"] {
            self.send(&session, method, &json!({}));
        }
    }

    fn note_request(&mut self, params: &Value) {
        let url = params["request"]["url"].as_str().unwrap().to_owned();
        self.addresses.insert(params["requestId"].to_string(), url.clone());
        self.requests.push(url);
    }

    fn note_response(&mut self, response: &Value) {
        let status = response["status"].as_u64().unwrap_or(0);
        if status >= 400 {
            self.failures.push(format!("{status} {}", response["url"]));
        }
    }

    fn note_failure(&mut self, params: &Value) {
        let address = self.addresses.get(&params["requestId"].to_string());
        self.failures.push(format!("{} {}", params["errorText"], address.map_or("?", String::as_str)));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Asked first, so that its own processes end with it; killed, by its process id, if it does not listen.
        let message = json!({ "id": 0, "method": "Browser.close" }).to_string() + "\0";
        let asked = self.pipe.write_all(message.as_bytes()).is_ok();
        let closed = asked && self.closes_within(Duration::from_secs(5));
        if !closed {
            let _ = self.browser.kill();
        }
        let _ = self.browser.wait();
    }
}

impl Page {
    /// Whether the browser's end of the pipe closes in time.
    fn closes_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(_) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return true,
                Err(mpsc::RecvTimeoutError::Timeout) => return false,
            }
        }
    }
}

/// Starts the browser with our pipes as its descriptors 3 and 4; the shell is replaced by it and keeps its process id.
fn launch(program: &Path, profile: &Path) -> Child {
    Command::new("sh")
        .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#])
        .arg(program)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// RFC 4648, section 4; the browser's own output, so anything else is a failure.
fn decode_base64(text: &str) -> Vec<u8> {
    let six_bits = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("byte {byte} in base64"),
    };
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, byte| (bits << 6) | u32::from(six_bits(*byte)));
        let bytes = (bits << (6 * (4 - group.len()))).to_be_bytes();
        decoded.extend_from_slice(&bytes[1..group.len()]);
    }
    decoded
}

#[test]
fn decodes_base64() {
    let check = |text: &str, expected: &str| assert_eq!(decode_base64(text), expected.as_bytes(), "{text}");
    check("", "");
    check("Zg==", "f");
    check("Zm8=", "fo");
    check("Zm9v", "foo");
    check("Zm9vYg==", "foob");
}
