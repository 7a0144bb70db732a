//! A run as HTML, finished or live.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `shown` | the page that shows a run: its markup, its data, its script and its style |
//! | `live` | the live page of a run, over HTTP |

pub mod live;
pub mod shown;
