//! Requests to a live page. Only requests under a name of this machine learn anything, and no request changes anything.

#![no_main]

use gothello_arena::fuzzing::live_page;
use gothello_arena_fuzz::assert_answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let answer = live_page(data);
    let status = assert_answer(&answer);
    let head = String::from_utf8_lossy(data);
    // A server skips empty lines before a request.
    let head = head.trim_start_matches(['\r', '\n']).split("\r\n\r\n").next().unwrap_or_default().to_ascii_lowercase();
    if status == Some(200) {
        assert!(head.contains("\nhost:") || head.contains("\rhost:"), "a request without a host is answered");
        assert!(head.trim_start().starts_with("get") || head.trim_start().starts_with("head"), "{head}");
        let own = ["localhost", ".local", "127.", "[", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        assert!(own.iter().any(|name| head.contains(name)), "a request for another host is answered");
    }
});
