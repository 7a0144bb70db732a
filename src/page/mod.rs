//! A run as HTML, finished or live.
//!
//! | room | contents |
//! | --- | --- |
//! | `http` | the parts that all page servers share |
//! | `report_games` | the games of a run as a report contains them, with aliases and values |
//! | `shown` | the page that shows a run: its markup, its data, its script and its style |
//! | `live` | the live page of a run, over HTTP |

pub mod http;
pub mod live;
pub(crate) mod report_games;
pub mod shown;
