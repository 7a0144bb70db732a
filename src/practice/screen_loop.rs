//! The loop of every screen: it redraws the screen when something changes, obeys the keys that all screens share, and
//! leaves the terminal as it was.

use std::io;
use std::mem::ManuallyDrop;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::practice::screen_guard::{ScreenEvent, ScreenGuard, ScreenSignal, ScreenTerminal};
use crate::practice::screen_text::ScreenLook;

/// How often to check for results from threads, and for signals.
const LOOK: Duration = Duration::from_millis(40);

/// How a screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenEnd {
    /// The person left the screen.
    Left,
    /// The person pressed Ctrl-C.
    Interrupted,
    /// SIGTERM arrived, or another signal that ends programs.
    Terminated,
}

/// Something that is shown on the whole screen.
pub(crate) trait ScreenView {
    /// Collects results from threads. Returns whether there were any.
    ///
    /// # Errors
    /// Fails if a thread has failed.
    fn collect(&mut self) -> io::Result<bool>;

    /// Draws everything on the whole of `buffer`.
    fn draw(&self, look: ScreenLook, buffer: &mut Buffer);

    /// Obeys a key. If the key leaves the screen, returns how.
    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd>;
}

/// Shows `view` on the terminal until the screen is left. Afterwards, the terminal is as it was before.
///
/// # Errors
/// Fails if the terminal or a thread does.
pub(crate) fn shown_until_left(view: &mut impl ScreenView, look: ScreenLook) -> io::Result<ScreenEnd> {
    let guard = ScreenGuard::take_over()?;
    let mut screen = ManuallyDrop::new(guard.screen()?);
    let end = until_left(view, look, (&guard, &mut screen));
    // Dropping a screen whose terminal is gone prints an error to that terminal, and panics.
    if matches!(end, Ok(ScreenEnd::Left | ScreenEnd::Interrupted)) {
        drop(ManuallyDrop::into_inner(screen));
    }
    end
}

/// Shows `view` on `screen`, which belongs to `guard`, until it is left.
fn until_left(
    view: &mut impl ScreenView,
    look: ScreenLook,
    (guard, screen): (&ScreenGuard, &mut ScreenTerminal),
) -> io::Result<ScreenEnd> {
    let mut is_stale = true;
    loop {
        is_stale |= view.collect()?;
        if is_stale {
            screen.draw(|frame| view.draw(look, frame.buffer_mut()))?;
            is_stale = false;
        }
        let Some(event) = guard.next_within(LOOK)? else { continue };
        is_stale = true;
        let mut is_suspended = false;
        let end = match event {
            ScreenEvent::Resized => {
                *screen = guard.screen()?;
                None
            }
            ScreenEvent::Signal(ScreenSignal::Suspend) => {
                is_suspended = true;
                None
            }
            ScreenEvent::Signal(ScreenSignal::Interrupt) => Some(ScreenEnd::Interrupted),
            ScreenEvent::Signal(ScreenSignal::Terminate) => Some(ScreenEnd::Terminated),
            ScreenEvent::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => match key.code {
                KeyCode::Char('c') => Some(ScreenEnd::Interrupted),
                KeyCode::Char('z') => {
                    is_suspended = true;
                    None
                }
                KeyCode::Char('l') => {
                    *screen = guard.screen()?;
                    None
                }
                _ => None,
            },
            ScreenEvent::Key(key) => view.press(key),
        };
        if is_suspended {
            guard.suspend()?;
            *screen = guard.screen()?;
        }
        if let Some(end) = end {
            return Ok(end);
        }
    }
}
