//! The report, the live page and the pages of a graded class in a real browser.
//!
//! The tests start a headless Chromium and control it through the DevTools protocol. If Chromium is missing, each test
//! reports that it was skipped. `GOTHELLO_ARENA_AXE` names the file `axe.min.js` of axe-core, for the tests of
//! accessibility. `GOTHELLO_ARENA_SCREENSHOTS` names a directory that receives pictures of all views.

mod alternatives;
mod axe;
mod board_table;
mod chromium;
mod claims;
mod corpus;
mod devtools;
mod fed_page;
mod forfeits;
mod grades;
mod groups;
mod harness;
mod hostile;
mod keys;
mod large_boards;
mod leaderboard;
mod lists;
mod live_games;
mod live_groups;
mod live_server;
mod live_view;
mod motion;
mod one_board;
mod openings;
mod pages;
mod projector;
mod report;
mod saving;
mod score;
mod scripts;
mod swipes;
mod tab;
