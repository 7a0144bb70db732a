//! Runs any number of futures at the same time, without separate tasks.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future, or its output once it is ready.
enum Running<'f, T> {
    Pending(Pin<Box<dyn Future<Output = T> + Send + 'f>>),
    Ready(T),
}

impl<T> Running<'_, T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> bool {
        if let Self::Pending(future) = self
            && let Poll::Ready(output) = future.as_mut().poll(cx)
        {
            *self = Self::Ready(output);
        }
        matches!(self, Self::Ready(_))
    }
}

/// Runs all `futures` at the same time, and returns their outputs in the same order, or the first error.
pub(super) async fn try_all<'f, T, E, F>(futures: impl Iterator<Item = F>) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>> + Send + 'f,
{
    let mut running: Vec<Running<'f, Result<T, E>>> =
        futures.map(|future| Running::Pending(Box::pin(future))).collect();
    poll_fn(|cx| {
        let mut all_ready = true;
        for future in &mut running {
            all_ready &= future.poll(cx);
            if matches!(future, Running::Ready(Err(_))) {
                return Poll::Ready(());
            }
        }
        if all_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let mut outputs = Vec::with_capacity(running.len());
    for future in running {
        match future {
            Running::Ready(Err(error)) => return Err(error),
            Running::Ready(Ok(output)) => outputs.push(output),
            // A future after this one has failed, and its error will be returned.
            Running::Pending(_) => {}
        }
    }
    Ok(outputs)
}

/// Runs all `futures` at the same time, and waits for all of them.
pub(super) async fn all_done<'f, F>(futures: impl Iterator<Item = F>)
where
    F: Future<Output = ()> + Send + 'f,
{
    let endless = futures.map(|future| async move {
        future.await;
        Ok::<(), std::convert::Infallible>(())
    });
    let _ = try_all(endless).await;
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    type Boxed = Pin<Box<dyn Future<Output = Result<i32, &'static str>> + Send>>;

    #[tokio::test]
    async fn futures_run_together_and_the_first_error_ends_all() {
        let (ask, asked) = oneshot::channel();
        let (reply, replied) = oneshot::channel();
        let one = async move {
            let heard = asked.await;
            reply.send(2).map_err(|_| "gone")?;
            heard.map_err(|_| "gone")
        };
        let other = async move {
            ask.send(1).map_err(|_| "gone")?;
            replied.await.map_err(|_| "gone")
        };
        let futures: [Boxed; 2] = [Box::pin(one), Box::pin(other)];
        assert_eq!(try_all(futures.into_iter()).await, Ok(vec![1, 2]));
        let futures: [Boxed; 3] =
            [Box::pin(std::future::pending()), Box::pin(async { Ok(1) }), Box::pin(async { Err("late") })];
        assert_eq!(try_all(futures.into_iter()).await, Err("late"));
    }
}
