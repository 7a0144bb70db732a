//! Live pages that are watched on the screen, which are not trusted. Whatever a page sends, only printable text is drawn.

#![no_main]

use gothello_arena::fuzzing::watched_page;
use gothello_arena_fuzz::assert_printable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for shown in watched_page(&String::from_utf8_lossy(data)) {
        assert_printable(&shown);
        assert!(!shown.contains('\n'), "{shown:?}");
    }
});
