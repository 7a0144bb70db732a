//! The size and the place of what the live page shows, on screens of every width.

use serde_json::{Value, json};

use crate::page::browser::axe;
use crate::page::browser::fed_page::{ongoing, shown, state, thirty_games};

#[test]
fn the_fewer_boards_there_are_the_larger_they_are() {
    let board = "document.querySelector('.card .grid').getBoundingClientRect().width";
    let mut last = f64::INFINITY;
    for count in [1, 2, 4, 6, 30] {
        let games: Vec<Value> = (0..count).map(|slot| ongoing(slot, 60_000)).collect();
        shown("", &state(&games), |tab| {
            tab.viewport(1920, 1080);
            let width = tab.eval(board).as_f64().expect("a number");
            assert!(width < last, "{count} boards of {width} pixels, fewer of {last}");
            last = width;
            let all = "[...document.querySelectorAll('.card')].every(card => card.getBoundingClientRect().bottom < innerHeight)";
            assert_eq!(tab.eval(all), count < 30, "{count} boards fit");
            tab.screenshot(&format!("live-{count}-boards"));
        });
    }
    assert!(last > 100.0, "{last}");
}

#[test]
fn on_a_phone_one_board_fills_the_width_and_a_swipe_or_a_key_turns_to_the_next() {
    let games: Vec<Value> = (0..5).map(|slot| ongoing(slot, 60_000)).collect();
    shown("", &state(&games), |tab| {
        tab.viewport(390, 844);
        tab.media("screen", "light");
        let place = "document.querySelector('.pages .place').textContent";
        tab.wait(&format!("{place} === 'Board 1 of 5'"));
        let widths = "[...document.querySelectorAll('.card')].map(card => card.getBoundingClientRect().width / document.querySelector('.boards').clientWidth)";
        assert_eq!(tab.eval(widths), json!([1, 1, 1, 1, 1]));
        let disabled = "[...document.querySelectorAll('.pages button')].map(button => button.disabled)";
        assert_eq!(tab.eval(disabled), json!([true, false]));
        tab.keys(["ArrowRight"]);
        tab.wait(&format!("{place} === 'Board 2 of 5'"));
        tab.eval("document.querySelector('.pages button:last-child').click()");
        tab.wait(&format!("{place} === 'Board 3 of 5'"));
        // A swipe scrolls the list.
        tab.eval("document.querySelector('.boards').scrollLeft = 10_000");
        tab.wait(&format!("{place} === 'Board 5 of 5'"));
        assert_eq!(tab.eval(disabled), json!([false, true]));
        tab.screenshot("live-phone-boards");
        if let Some(script) = axe::script() {
            assert_eq!(axe::violations(tab, &script), [""; 0]);
        }
        tab.keys(["ArrowLeft"]);
        tab.wait(&format!("{place} === 'Board 4 of 5'"));
        tab.viewport(1280, 720);
        tab.wait("document.querySelector('.pages').hidden && !document.querySelector('.boards.paged')");
        assert_eq!(tab.eval("document.querySelector('.boards').hasAttribute('tabindex')"), false);
    });
}

#[test]
fn the_tabs_of_a_live_page_stand_in_one_line() {
    shown("", &state(&[]), |tab| {
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            let lines = "new Set([...document.querySelectorAll('#tabs a')].map(link => Math.round(link.getBoundingClientRect().top))).size";
            assert_eq!(tab.eval(lines), 1, "{width}x{height}");
        }
        tab.viewport(1280, 720);
        let line = "(() => {
            const [title, tabs] = ['#head h1', '#tabs'].map(name => document.querySelector(name).getBoundingClientRect());
            return title.top < tabs.bottom && tabs.top < title.bottom;
        })()";
        assert_eq!(tab.eval(line), true, "the title and the tabs");
    });
}

/// The short names that are cut off on the boards, and the clocks that extend beyond their boards.
const CUT: &str = "[...document.querySelectorAll('.card .seat')].filter(seat => {
    const [name, clock] = ['.who', '.clock'].map(part => seat.querySelector(part));
    const isOutside = clock.getBoundingClientRect().right > seat.getBoundingClientRect().right + 1;
    return isOutside || (name.textContent.length < 8 && name.scrollWidth > name.clientWidth);
}).map(seat => seat.textContent)";

#[test]
fn no_live_view_is_wider_than_its_window() {
    shown("", &thirty_games(), |tab| {
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                for part in ["live", "standings", "crosstable", "games", "players"] {
                    tab.eval(&format!("location.hash = '#t={part}'"));
                    tab.wait(&format!("!document.getElementById('{part}').hidden"));
                    let sizes = tab.eval("[document.scrollingElement.scrollWidth, innerWidth]");
                    assert_eq!(sizes, json!([width, width]), "{part} at {width}x{height}");
                    tab.screenshot(&format!("live-{part}-{width}x{height}-{theme}"));
                    assert_eq!(tab.eval(CUT), json!([]), "{part} at {width}x{height}");
                }
            }
        }
    });
}

#[test]
fn nothing_bars_people_from_the_live_page() {
    let Some(script) = axe::script() else { return };
    let games: Vec<Value> = (0..30).map(|slot| ongoing(slot, 60_000)).collect();
    let mut found: Vec<Value> = Vec::new();
    shown("", &state(&games), |tab| {
        for theme in ["light", "dark"] {
            tab.media("screen", theme);
            for hash in ["#t=live", "#t=standings", "#t=crosstable", "#t=games", "#projector"] {
                tab.eval(&format!("location.hash = '{hash}'"));
                tab.wait(&format!(
                    "document.documentElement.classList.contains('projecting') === {}",
                    hash == "#projector"
                ));
                found.extend(axe::violations(tab, &script).into_iter().map(|line| json!([theme, hash, line])));
            }
        }
    });
    assert!(found.is_empty(), "{:#}", Value::Array(found));
}
