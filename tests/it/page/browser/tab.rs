//! One page in the browser: its contents, its behaviour, and its requests.

use std::cell::RefCell;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::devtools::{DevTools, TIMEOUT};
use super::keys;

/// The domains of the DevTools protocol whose events the tests read.
const DOMAINS: [&str; 5] = ["Page", "Runtime", "Log", "Network", "Audits"];

/// A tab. It forgets its events at each [`Tab::goto`].
pub(super) struct Tab<'a> {
    devtools: &'a RefCell<DevTools>,
    session: String,
    target: String,
}

impl<'a> Tab<'a> {
    /// Opens an empty tab in a window of desktop size.
    pub(super) fn open(devtools: &'a RefCell<DevTools>) -> Self {
        let browser = |method: &str, params: &Value| devtools.borrow_mut().call("", method, params).expect("called");
        let target = word(&browser("Target.createTarget", &json!({ "url": "about:blank" })), "targetId");
        let attach = json!({ "targetId": target, "flatten": true });
        let session = word(&browser("Target.attachToTarget", &attach), "sessionId");
        let tab = Self { devtools, session, target };
        for domain in DOMAINS {
            tab.call(&format!("{domain}.enable"), &json!({}));
        }
        tab.viewport(1280, 720);
        tab
    }

    /// Calls `method` of the DevTools protocol.
    pub(super) fn call(&self, method: &str, params: &Value) -> Value {
        self.devtools.borrow_mut().call(&self.session, method, params).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Loads `url` and waits until the page and its scripts have been loaded. If `url` differs from the current address
    /// only after the `#`, the page stays loaded, and this function waits until its listeners have been notified.
    pub(super) fn goto(&self, url: &str) {
        self.devtools.borrow_mut().forget(&self.session);
        let stays = self.eval(&format!(
            "window.notified = new Promise(resolve => addEventListener('hashchange', () => setTimeout(resolve), {{ once: true }}));
            new URL({url:?}).href === location.href"
        ));
        let answer = self.call("Page.navigate", &json!({ "url": url }));
        assert_eq!(answer["errorText"], Value::Null, "{url}");
        if answer.get("loaderId").is_some() {
            self.devtools.borrow_mut().wait_for(&self.session, "Page.loadEventFired");
        } else if stays == false {
            self.eval("window.notified");
        }
    }

    /// Runs `script`, which makes the page reload, and waits until it has reloaded.
    pub(super) fn reload_by(&self, script: &str) {
        self.devtools.borrow_mut().forget(&self.session);
        self.eval(script);
        self.devtools.borrow_mut().wait_for(&self.session, "Page.loadEventFired");
    }

    /// Loads the file `path`.
    pub(super) fn open_file(&self, path: &Path) {
        self.goto(&format!("file://{}", path.display()));
    }

    /// Runs `script` before the scripts of every page that this tab loads from now on.
    pub(super) fn before_pages(&self, script: &str) {
        self.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }));
    }

    /// The value of the JavaScript expression `script`, or the value that its promise resolves to.
    pub(super) fn eval(&self, script: &str) -> Value {
        let params = json!({ "expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true });
        let mut answer = self.call("Runtime.evaluate", &params);
        if let Some(exception) = answer.get("exceptionDetails") {
            panic!("{script}: {exception}");
        }
        answer["result"]["value"].take()
    }

    /// The value of the expression `script`, which must be a string.
    pub(super) fn text(&self, script: &str) -> String {
        let value = self.eval(script);
        value.as_str().unwrap_or_else(|| panic!("{script}: {value} is not a string")).to_owned()
    }

    /// Waits until the expression `condition` is true, checking after every change of the document and at regular
    /// intervals.
    pub(super) fn wait(&self, condition: &str) {
        let timeout = TIMEOUT.as_millis() / 3;
        let holds = self.eval(&format!(
            "new Promise(resolve => {{
                const holds = () => {{ try {{ return !!({condition}); }} catch {{ return false; }} }};
                const begin = performance.now();
                const look = () => {{
                    if (!holds() && performance.now() - begin < {timeout}) return;
                    seen.disconnect();
                    clearInterval(timer);
                    resolve(holds());
                }};
                const seen = new MutationObserver(look);
                seen.observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }});
                const timer = setInterval(look, 50);
                look();
            }})"
        ));
        assert_eq!(holds, true, "{condition} at {}: {:?}", self.text("location.href"), self.faults());
    }

    /// Presses and releases each of `keys`: names such as `ArrowLeft`, or the characters that the keys print.
    pub(super) fn keys<'k>(&self, keys: impl IntoIterator<Item = &'k str>) {
        for event in keys.into_iter().flat_map(keys::press) {
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Makes the window `width` by `height` pixels.
    pub(super) fn viewport(&self, width: u32, height: u32) {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", &params);
    }

    /// Shows pages in the theme `theme` (`light` or `dark`), for the medium `medium` (`screen` or `print`), and without
    /// animations.
    pub(super) fn media(&self, medium: &str, theme: &str) {
        let motion = json!({ "name": "prefers-reduced-motion", "value": "reduce" });
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }, motion]);
        self.call("Emulation.setEmulatedMedia", &json!({ "media": medium, "features": features }));
    }

    /// Lets pages save files in the directory `dir`.
    pub(super) fn save_to(&self, dir: &Path) {
        let params = json!({ "behavior": "allow", "downloadPath": dir, "eventsEnabled": true });
        self.devtools.borrow_mut().call("", "Browser.setDownloadBehavior", &params).expect("set");
    }

    /// Waits until the browser has saved a file, and returns the name that the page has given it.
    pub(super) fn saved(&self) -> String {
        let begun = self.devtools.borrow_mut().wait_for("", "Browser.downloadWillBegin");
        loop {
            let told = self.devtools.borrow_mut().wait_for("", "Browser.downloadProgress");
            match told["state"].as_str() {
                Some("completed") => return word(&begun, "suggestedFilename"),
                Some("inProgress") => {}
                other => panic!("{other:?}: {told}"),
            }
        }
    }

    /// The addresses of the frames in the page. A frame whose contents were refused has the address of the browser's
    /// error page.
    pub(super) fn frames(&self) -> Vec<String> {
        let tree = self.call("Page.getFrameTree", &json!({}));
        let children = tree["frameTree"]["childFrames"].as_array().cloned().unwrap_or_default();
        children.iter().map(|child| word(&child["frame"], "url")).collect()
    }

    /// Brings the tab to the front.
    pub(super) fn activate(&self) {
        let params = json!({ "targetId": self.target });
        self.devtools.borrow_mut().call("", "Target.activateTarget", &params).expect("a tab");
    }

    /// A picture of the window's contents, as PNG.
    pub(super) fn picture(&self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        STANDARD.decode(word(&answer, "data")).expect("base64")
    }

    /// Writes a picture called `name` to the directory that `GOTHELLO_ARENA_SCREENSHOTS` names, if the variable is set.
    pub(super) fn screenshot(&self, name: &str) {
        if let Some(dir) = std::env::var_os("GOTHELLO_ARENA_SCREENSHOTS") {
            let path = Path::new(&dir).join(format!("{name}.png"));
            std::fs::write(path, self.picture()).expect("written");
        }
    }

    /// Everything that has gone wrong since the page was loaded: exceptions, errors and warnings on the console, and
    /// violations of the Content-Security-Policy.
    pub(super) fn faults(&self) -> Vec<String> {
        // A round trip ensures that all earlier events have arrived.
        self.eval("0");
        let told = |method| self.devtools.borrow().told(&self.session, method);
        let exceptions = told("Runtime.exceptionThrown").into_iter().map(|it| it["exceptionDetails"].to_string());
        let printed = told("Runtime.consoleAPICalled").into_iter();
        let printed =
            printed.filter(|it| it["type"] == "error" || it["type"] == "warning").map(|it| it["args"].to_string());
        let logged = told("Log.entryAdded").into_iter().map(|it| it["entry"].clone());
        let logged = logged.filter(|it| it["level"] == "error" || it["level"] == "warning").map(|it| it.to_string());
        let issues = told("Audits.issueAdded").into_iter().map(|it| it["issue"].clone());
        let issues = issues.filter(|it| it["code"] == "ContentSecurityPolicyIssue").map(|it| it.to_string());
        exceptions.chain(printed).chain(logged).chain(issues).collect()
    }

    /// The addresses of all requests since the page was loaded, the page's own first.
    pub(super) fn requests(&self) -> Vec<String> {
        self.eval("0");
        let told = self.devtools.borrow().told(&self.session, "Network.requestWillBeSent");
        told.iter().map(|it| word(&it["request"], "url")).collect()
    }
}

/// The string at `key` in `answer`.
fn word(answer: &Value, key: &str) -> String {
    answer[key].as_str().unwrap_or_else(|| panic!("`{key}` is missing in {answer}")).to_owned()
}
