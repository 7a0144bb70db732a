//! Checks that the page tests detect every kind of fault in a page.

use std::fs;
use std::path::PathBuf;

use super::chromium::Browser;
use super::{axe, tab::Tab};

/// A page with `body` under a policy that allows only inline scripts.
fn page(dir: &tempfile::TempDir, body: &str) -> PathBuf {
    let path = dir.path().join("page.html");
    let policy = "default-src 'none'; script-src 'unsafe-inline'";
    let head = format!(
        "<!doctype html><html lang=en><title>page</title><meta name=viewport content=\"width=device-width\">\
         <meta http-equiv=Content-Security-Policy content=\"{policy}\">"
    );
    fs::write(&path, format!("{head}<main>{body}</main>")).expect("written");
    path
}

/// Shows a page with `body` to `look`, in a separate browser.
fn shown(body: &str, look: impl FnOnce(&Tab)) {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    tab.open_file(&page(&dir, body));
    look(&tab);
}

#[test]
fn a_page_without_faults_has_none() {
    shown("<h1>Fine</h1><script>console.log('fine')</script>", |tab| {
        assert_eq!(tab.faults(), [""; 0]);
        assert_eq!(tab.requests().len(), 1, "{:?}", tab.requests());
        assert_eq!(tab.text("document.querySelector('h1').textContent"), "Fine");
    });
}

#[test]
fn exceptions_errors_violations_and_requests_are_seen() {
    shown("<script>console.error('told'); setTimeout(() => { nothing.there; })</script>", |tab| {
        tab.eval("new Promise(resolve => setTimeout(resolve))");
        let faults = tab.faults().join("\n");
        assert!(faults.contains("told") && faults.contains("ReferenceError"), "{faults}");
    });
    shown("<h1>Style</h1><p style='color: red'>a</p><img alt='b' src='https://example.org/b.png'>", |tab| {
        let faults = tab.faults().join("\n");
        assert!(faults.contains("style-src") && faults.contains("img-src"), "{faults}");
    });
    shown("<script>location.hash = 'a'; fetch('file:///etc/hostname').catch(() => 0)</script>", |tab| {
        assert!(!tab.faults().is_empty(), "a refused request is a fault");
    });
}

#[test]
fn a_script_may_run_before_the_page() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    tab.before_pages("window.early = 'early';");
    tab.open_file(&page(&dir, "<h1>No</h1><script>document.querySelector('h1').textContent = window.early;</script>"));
    assert_eq!(tab.text("document.querySelector('h1').textContent"), "early");
}

#[test]
fn keys_reach_the_page() {
    let script = "<input id=i><script>window.all = []; addEventListener('keydown', e => all.push(e.key));</script>";
    shown(script, |tab| {
        tab.keys(["ArrowLeft", "j", "?", "Space", "Escape", "Home", "[", "P"]);
        assert_eq!(tab.text("all.join(',')"), "ArrowLeft,j,?, ,Escape,Home,[,P");
        tab.eval("document.getElementById('i').focus()");
        tab.keys(["a", "/", "Space", "b"]);
        assert_eq!(tab.text("document.getElementById('i').value"), "a/ b");
    });
}

#[test]
fn windows_themes_and_media_are_as_asked() {
    shown("", |tab| {
        tab.viewport(390, 844);
        tab.media("print", "dark");
        assert_eq!(tab.text("innerWidth + 'x' + innerHeight"), "390x844");
        assert_eq!(tab.eval("matchMedia('print').matches && matchMedia('(prefers-color-scheme: dark)').matches"), true);
        tab.media("screen", "light");
        assert_eq!(
            tab.eval("matchMedia('print').matches || matchMedia('(prefers-color-scheme: dark)').matches"),
            false
        );
        assert!(tab.picture().starts_with(b"\x89PNG"));
        tab.screenshot("harness");
    });
}

#[test]
fn a_wait_ends_when_the_page_has_changed() {
    shown(
        "<h1>No</h1><script>setTimeout(() => { document.querySelector('h1').textContent = 'Yes'; }, 200)</script>",
        |tab| {
            tab.wait("document.querySelector('h1').textContent === 'Yes'");
        },
    );
}

#[test]
fn only_the_tab_in_front_is_visible() {
    let Some(browser) = Browser::with_hidden_tabs() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let path = page(&dir, "<h1>Tab</h1>");
    let [first, second] = [browser.tab(), browser.tab()];
    for tab in [&first, &second] {
        tab.open_file(&path);
    }
    for (front, back) in [(&first, &second), (&second, &first)] {
        front.activate();
        front.wait("document.visibilityState === 'visible'");
        back.wait("document.visibilityState === 'hidden'");
    }
}

#[test]
fn axe_finds_what_is_wrong() {
    let Some(script) = axe::script() else { return };
    shown("<h1>Page</h1><input>", |tab| {
        let violations = axe::violations(tab, &script);
        assert!(violations.iter().any(|line| line.starts_with("label: ")), "{violations:?}");
    });
}
