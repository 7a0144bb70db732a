//! The terminal as a screen, in raw mode, with the alternate screen and a hidden cursor; and how to restore it.
//!
//! The terminal is restored when the guard is dropped, when a thread panics, and before the program is suspended.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::future::poll_fn;
use std::io::{self, BufWriter};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::task::Poll;
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{QueueSelector, tcflush};
use rustix::time::Timespec;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::base::console;

/// The terminal through which a screen is drawn.
pub(crate) type ScreenTerminal = Terminal<CrosstermBackend<BufWriter<File>>>;

/// A signal that concerns the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenSignal {
    /// SIGINT, which Ctrl-C does not send while the guard exists.
    Interrupt,
    /// SIGTERM, or another signal that ends programs.
    Terminate,
    /// SIGTSTP.
    Suspend,
}

/// Something that happened to the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenEvent {
    /// A key was pressed.
    Key(KeyEvent),
    /// The size has changed.
    Resized,
    /// A signal has arrived.
    Signal(ScreenSignal),
}

/// The terminal to restore, if one has been taken over.
static TAKEN_OVER: Mutex<Option<Arc<File>>> = Mutex::new(None);

/// Whether the terminal was restored because of a panic.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// A terminal that is used as a screen. There is at most one.
#[derive(Debug)]
pub(crate) struct ScreenGuard {
    tty: Arc<File>,
    signals: Receiver<ScreenSignal>,
}

impl ScreenGuard {
    /// Takes over the terminal on stdin and stdout. Keys that were typed before are discarded, because they were not
    /// meant for the screen.
    ///
    /// # Errors
    /// Fails if this is not a terminal, or if signals cannot be caught.
    pub(crate) fn take_over() -> io::Result<Self> {
        restore_on_panic();
        let tty = Arc::new(File::from(console::stream().as_fd().try_clone_to_owned()?));
        let guard = Self { tty, signals: caught_signals()? };
        guard.begin()?;
        tcflush(&*guard.tty, QueueSelector::IFlush)?;
        Ok(guard)
    }

    fn begin(&self) -> io::Result<()> {
        *TAKEN_OVER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&self.tty));
        enable_raw_mode()?;
        let mut out = &*self.tty;
        execute!(out, EnterAlternateScreen, Hide, Clear(ClearType::All))
    }

    /// An empty screen of the terminal's current size.
    ///
    /// # Errors
    /// Fails if the terminal does.
    pub(crate) fn screen(&self) -> io::Result<ScreenTerminal> {
        let mut out = &*self.tty;
        execute!(out, Clear(ClearType::All))?;
        let (width, height) = size()?;
        let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
        let backend = CrosstermBackend::new(BufWriter::new(self.tty.try_clone()?));
        Terminal::with_options(backend, TerminalOptions { viewport })
    }

    /// Waits up to `limit` for something to read. Returns whether the terminal is gone, for example because its window
    /// was closed.
    fn is_gone_within(&self, limit: Duration) -> io::Result<bool> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        let mut tty = [PollFd::new(&*self.tty, PollFlags::IN)];
        match poll(&mut tty, Some(&limit)) {
            Ok(_) => Ok(tty[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)),
            // The signal arrives through its own channel.
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The next event, if it occurs within `limit`. Signals can be up to `limit` late. A terminal that is gone counts
    /// as a signal that ends the program.
    ///
    /// # Errors
    /// Fails if the terminal does, or if a thread has panicked.
    pub(crate) fn next_within(&self, limit: Duration) -> io::Result<Option<ScreenEvent>> {
        if HAS_PANICKED.load(Ordering::Relaxed) {
            return Err(io::Error::other("a thread has failed"));
        }
        if let Ok(signal) = self.signals.try_recv() {
            return Ok(Some(ScreenEvent::Signal(signal)));
        }
        // At the end of its input, crossterm would read for ever.
        if self.is_gone_within(limit)? {
            return Ok(Some(ScreenEvent::Signal(ScreenSignal::Terminate)));
        }
        if !event::poll(Duration::ZERO)? {
            return Ok(None);
        }
        Ok(match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => Some(ScreenEvent::Key(key)),
            Event::Resize(..) => Some(ScreenEvent::Resized),
            _ => None,
        })
    }

    /// Restores the terminal, suspends the program until it is continued, and takes the terminal over again.
    ///
    /// # Errors
    /// Fails if the terminal does.
    pub(crate) fn suspend(&self) -> io::Result<()> {
        restore();
        kill_process(getpid(), Signal::STOP)?;
        self.begin()
    }
}

impl Drop for ScreenGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal, if it has been taken over. Returns whether it had been.
fn restore() -> bool {
    let Some(tty) = TAKEN_OVER.lock().unwrap_or_else(PoisonError::into_inner).take() else { return false };
    // If the terminal is gone, there is nothing to restore.
    let mut out = &*tty;
    let _ = execute!(out, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    true
}

/// Makes panics restore the terminal before they print their message.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if restore() {
                HAS_PANICKED.store(true, Ordering::Relaxed);
            }
            print(panic);
        }));
    });
}

/// Catches the signals that concern a screen, on a thread that lives as long as the process.
fn caught_signals() -> io::Result<Receiver<ScreenSignal>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let mut signals = Vec::new();
    {
        let _inside = runtime.enter();
        for (number, what) in [
            (Signal::INT, ScreenSignal::Interrupt),
            (Signal::TERM, ScreenSignal::Terminate),
            (Signal::HUP, ScreenSignal::Terminate),
            (Signal::QUIT, ScreenSignal::Terminate),
            (Signal::TSTP, ScreenSignal::Suspend),
        ] {
            signals.push((signal(SignalKind::from_raw(number.as_raw()))?, what));
        }
    }
    let (sender, received) = mpsc::channel();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(poll_fn(|context| {
            for (signal, what) in &mut signals {
                while signal.poll_recv(context).is_ready() {
                    if sender.send(*what).is_err() {
                        return Poll::Ready(());
                    }
                }
            }
            Poll::Pending
        }));
    })?;
    Ok(received)
}
