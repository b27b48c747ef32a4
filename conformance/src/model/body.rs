//! The body of a response, sent piece by piece. What the pieces are is in `reply`.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

use super::reply::Piece;

/// The connection is to be cut.
#[derive(Debug)]
pub(super) struct Cut;

impl fmt::Display for Cut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the scenario cuts the connection")
    }
}

impl std::error::Error for Cut {}

/// Pieces that are yet to be sent.
#[derive(Debug)]
pub(super) struct PieceBody {
    pieces: VecDeque<Piece>,
    sleep: Option<Pin<Box<Sleep>>>,
    written: bool,
    size: Option<u64>,
}

impl PieceBody {
    /// All of these; `sized` when their length goes ahead of them.
    pub(super) fn new(pieces: Vec<Piece>, sized: bool) -> Self {
        let length = |piece: &Piece| match piece {
            Piece::Bytes(bytes) => bytes.len() as u64,
            Piece::Pause(_) | Piece::Cut | Piece::Silence | Piece::End => 0,
        };
        let size = sized.then(|| pieces.iter().map(length).sum());
        Self { pieces: pieces.into(), sleep: None, written: false, size }
    }

    /// Waits until the pause is over.
    fn poll_pause(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(sleep) = &mut self.sleep else { return Poll::Ready(()) };
        std::task::ready!(sleep.as_mut().poll(context));
        self.sleep = None;
        Poll::Ready(())
    }
}

impl Body for PieceBody {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        // hyper gathers frames until a body has none at hand; being at a loss once after each
        // makes every event a write of its own.
        if std::mem::take(&mut self.written) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            std::task::ready!(self.poll_pause(context));
            match self.pieces.pop_front() {
                Some(Piece::Bytes(bytes)) => {
                    self.written = true;
                    return Poll::Ready(Some(Ok(Frame::data(bytes.into()))));
                }
                Some(Piece::Pause(pause)) => {
                    self.sleep = Some(Box::pin(tokio::time::sleep(pause)));
                }
                Some(Piece::Cut) => return Poll::Ready(Some(Err(Cut))),
                // Nobody wakes us: only the end of the connection ends this.
                Some(Piece::Silence) => {
                    self.pieces.push_front(Piece::Silence);
                    return Poll::Pending;
                }
                Some(Piece::End) | None => return Poll::Ready(None),
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.size.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a body says when it is polled: `+text`, `wait`, `cut` or `end`.
    fn polled(body: &mut PieceBody) -> String {
        let mut context = Context::from_waker(std::task::Waker::noop());
        match Pin::new(body).poll_frame(&mut context) {
            Poll::Pending => "wait".to_owned(),
            Poll::Ready(None) => "end".to_owned(),
            Poll::Ready(Some(Err(Cut))) => "cut".to_owned(),
            Poll::Ready(Some(Ok(frame))) => {
                let data = frame.into_data().expect("there are no trailers");
                format!("+{}", String::from_utf8_lossy(&data))
            }
        }
    }

    fn check(last: Piece, expected: [&str; 6]) {
        let bytes = |text: &str| Piece::Bytes(text.as_bytes().to_vec());
        let mut body = PieceBody::new(vec![bytes("a"), bytes("b"), last, bytes("c")], false);
        assert_eq!(expected.map(|_| polled(&mut body)), expected);
    }

    #[test]
    fn after_each_piece_there_is_time_to_write_it() {
        check(Piece::Cut, ["+a", "wait", "+b", "wait", "cut", "+c"]);
        check(Piece::End, ["+a", "wait", "+b", "wait", "end", "+c"]);
        check(Piece::Silence, ["+a", "wait", "+b", "wait", "wait", "wait"]);
    }
}
