//! The lists of a report: their filters and their order, which the page's address records; and the values shown at the
//! pointer.

use serde_json::json;

use super::chromium::Browser;
use super::pages::Reported;
use super::tab::Tab;

const ROWS: &str = "[...document.querySelectorAll('#games tbody tr')].map(row => row.dataset.game)";

/// Opens the page in `tab` at `hash`, as a new visitor would.
fn visit(tab: &Tab, page: &std::path::Path, hash: &str) {
    tab.goto("about:blank");
    tab.goto(&format!("file://{}{hash}", page.display()));
    tab.wait("document.querySelector('#tabs a[aria-current]')");
}

#[test]
fn the_address_keeps_the_filters_and_the_order_of_the_games() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    visit(&tab, &reported.page(), "#t=games");
    let all = tab.eval(ROWS);
    tab.eval("document.querySelector('#games thead th:nth-child(6) button').click()");
    assert_eq!(tab.text("location.hash"), "#t=games&sort=-plies");
    tab.keys(["/"]);
    tab.wait("document.activeElement.matches('#games input')");
    tab.keys(["h", "e", "r", "o", "n"]);
    tab.wait("location.hash === '#t=games&a=heron&sort=-plies'");
    tab.eval("(() => { const list = document.querySelectorAll('#games select')[0]; list.value = '0'; list.dispatchEvent(new Event('change')); })()");
    assert_eq!(tab.text("location.hash"), "#t=games&a=heron&result=black&sort=-plies");
    let shown = tab.eval(ROWS);
    assert!(shown != all && shown != json!([]), "{shown}");
    visit(&tab, &reported.page(), "#t=games&a=heron&result=black&sort=-plies");
    assert_eq!(tab.eval(ROWS), shown);
    assert_eq!(tab.text("document.querySelector('#games input').value"), "heron");
    // Opening a game and going back keeps the filters.
    tab.eval("document.querySelector('#games tbody th a').click()");
    tab.wait("!document.getElementById('viewer').hidden");
    tab.keys(["Escape"]);
    tab.wait("!document.getElementById('games').hidden");
    assert_eq!(tab.eval(ROWS), shown);
    assert_eq!(tab.text("location.hash"), "#t=games&a=heron&result=black&sort=-plies");
    // Filter text that names no player is kept unchanged.
    visit(&tab, &reported.page(), "#t=games&atext=er");
    assert_eq!(tab.text("document.querySelector('#games input').value"), "er");
    for bad in ["#t=games&a=nobody", "#t=games&ended=nothing&sort=plies", "#t=games&sort=nothing", "#t=games&result=7"]
    {
        visit(&tab, &reported.page(), bad);
        assert!(tab.text("document.getElementById('say').textContent").contains("is ignored"), "{bad}");
        assert_eq!(tab.eval(&format!("{ROWS}.length")), all.as_array().map_or(0, Vec::len), "{bad}");
    }
    visit(&tab, &reported.page(), "#t=games");
    tab.eval("document.querySelector('#games tbody td a').click()");
    tab.wait("location.hash.startsWith('#p=')");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn games_that_are_not_judged_have_no_mistakes_to_show() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    visit(&tab, &reported.page(), "#t=games");
    let seen =
        "['#games .marks', '#games .legend .marks'].some(part => document.querySelector(part).checkVisibility())";
    assert_eq!(tab.eval(seen), false, "nothing is judged");
    // The values of a game without a mistake, and of a game with a blunder.
    tab.eval(
        "(() => {
        const [first, second] = page.data.games.filter(entry => codes.plies(entry[6]).length > 4);
        first[8] = 'c'.repeat(codes.plies(first[6]).length + 1);
        second[8] = 'cM' + 'M'.repeat(codes.plies(second[6]).length - 1);
        window.judged = [first, second].map(page.id);
        page.changed();
    })()",
    );
    let text = "judged.map(id => document.querySelector(`#games [data-game=\"${id}\"] .marks`).textContent)";
    assert_eq!(tab.eval(text), json!(["none", "1 blunder"]));
    assert_eq!(
        tab.eval(
            "[...document.querySelectorAll('#games tbody .marks')].filter(cell => cell.textContent === '–').length > 0"
        ),
        true
    );
    assert_eq!(tab.eval(seen), true);
}

#[test]
fn the_standings_can_be_sorted_and_the_address_keeps_their_order() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    visit(&tab, &reported.page(), "#t=standings");
    let names = "[...document.querySelectorAll('#standings tbody th')].map(cell => cell.textContent)";
    let ranked = tab.eval(names);
    let click = "[...document.querySelectorAll('#standings thead button')].find(button => button.textContent === 'player').click()";
    tab.eval(click);
    assert_eq!(tab.text("location.hash"), "#t=standings&sort=player");
    let mut sorted: Vec<String> = serde_json::from_value(ranked.clone()).expect("names");
    sorted.sort();
    assert_eq!(tab.eval(names), json!(sorted));
    tab.eval(click);
    sorted.reverse();
    assert_eq!(tab.eval(names), json!(sorted));
    visit(&tab, &reported.page(), "#t=standings&sort=nothing");
    assert_eq!(tab.eval(names), ranked);
    assert!(tab.text("document.getElementById('say').textContent").contains("no column “nothing”"));
    visit(&tab, &reported.page(), "#t=standings&sort=-player");
    assert_eq!(tab.eval(names), json!(sorted));
    assert_eq!(tab.text("document.getElementById('say').textContent"), "");
    assert_eq!(tab.text("document.querySelector('#standings [aria-sort=descending]').textContent"), "player");
    tab.eval(click);
    assert_eq!((tab.eval(names), tab.text("location.hash")), (ranked, "#t=standings".to_owned()));
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn every_view_has_its_own_title() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    for (hash, title) in [
        ("#t=standings", "Standings · CS 441 final"),
        ("#t=crosstable", "Crosstable · CS 441 final"),
        ("#t=games", "Games · CS 441 final"),
        ("#t=openings", "Openings · CS 441 final"),
        ("#p=heron", "heron · CS 441 final"),
        ("#g=r1-heron-wren&p=3", "heron v wren · CS 441 final"),
    ] {
        visit(&tab, &reported.page(), hash);
        tab.wait(&format!("document.title === {}", json!(title)));
    }
}

#[test]
fn the_pointer_shows_the_ratings_of_that_moment() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    visit(&tab, &reported.page(), "#t=standings");
    let told = |share: f64| {
        tab.eval(&format!(
            "(() => {{
                const box = document.querySelector('#ratings .lines').getBoundingClientRect();
                const at = {{ clientX: box.left + {share} * box.width, clientY: box.top + box.height / 2, bubbles: true }};
                document.querySelector('#ratings .lines').dispatchEvent(new PointerEvent('pointermove', at));
            }})()"
        ));
        tab.text("document.querySelector('#ratings .tip').textContent")
    };
    let last = told(1.0);
    assert!(last.starts_with("After 40 games"), "{last}");
    let rating = tab.text("(({ n, elo, e95 }) => `${n}${words.signed(elo)} ± ${e95}`)(page.data.players[0])");
    assert!(last.contains(&rating), "{last}: {rating}");
    assert!(told(0.0).starts_with("After 1 game"));
    assert_eq!(tab.eval("document.querySelector('#ratings .band').getAttribute('d').length > 20"), true);
    tab.eval("document.querySelector('#ratings .lines').dispatchEvent(new PointerEvent('pointerleave'))");
    assert_eq!(tab.eval("document.querySelector('#ratings .tip').checkVisibility()"), false);
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn lists_and_their_cells_fit_on_a_phone_and_what_scrolls_fades_at_its_edges() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let page = reported.judged_page();
    let tab = browser.tab();
    tab.viewport(390, 844);
    visit(&tab, &page, "#t=games");
    // Text that is wider than its cell would be cut off, or would cover the next cell.
    let wide = "[...document.querySelectorAll('#games tbody :is(td, th)')].filter(cell => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent)";
    assert_eq!(tab.eval(wide), json!([]));
    visit(&tab, &page, "#p=heron");
    let cut = "[...document.querySelectorAll('article.player.shown .scroll.cut')].map(box => box.querySelector('caption')?.textContent)";
    tab.wait("document.querySelector('article.player.shown .scroll.fits')");
    assert_eq!(tab.eval(cut), json!([]), "the tables of a player fit");
    for (width, height) in [(390, 844), (1280, 720)] {
        tab.viewport(width, height);
        visit(&tab, &page, "#g=r1-kestrel-wren&p=1");
        tab.wait("document.querySelector('#viewer .graph')");
        tab.eval("document.querySelector('[aria-controls=values]').click()");
        tab.wait("document.querySelector('#values.fits')");
    }
    tab.viewport(768, 1024);
    visit(&tab, &page, "#t=games");
    let names = "[...document.querySelectorAll('#games .who a')].filter(name => name.textContent.length <= 12 && name.scrollWidth > name.clientWidth).map(name => name.textContent)";
    assert_eq!(tab.eval(names), json!([]), "names of usual length fit on a tablet");
    tab.viewport(1280, 560);
    tab.goto(&format!("file://{}#g=r1-kestrel-wren&p=1", page.display()));
    tab.wait("document.querySelector('.moves.fades.below')");
    let mask = "getComputedStyle(document.querySelector('.moves')).maskImage";
    assert!(tab.text(mask).contains("to top"), "{}", tab.text(mask));
    tab.eval("document.querySelector('.moves').scrollTop = 1e6");
    tab.wait("!document.querySelector('.moves.below')");
    assert_eq!(tab.faults(), [""; 0]);
}
