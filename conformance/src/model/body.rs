//! The body of a response, sent in pieces. `reply` defines the pieces.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

use super::reply::Piece;

/// Closes the connection.
#[derive(Debug)]
pub(super) struct Cut;

impl fmt::Display for Cut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the scenario closes the connection")
    }
}

impl std::error::Error for Cut {}

#[derive(Debug)]
pub(super) struct PieceBody {
    fragments: VecDeque<Piece>,
    sleep: Option<Pin<Box<Sleep>>>,
    written: bool,
    size: Option<u64>,
}

impl PieceBody {
    /// A body of these pieces; `sized` adds a content-length.
    pub(super) fn new(fragments: Vec<Piece>, sized: bool) -> Self {
        let length = |piece: &Piece| match piece {
            Piece::Bytes(bytes) => bytes.len() as u64,
            Piece::Pause(_) | Piece::Cut | Piece::Silence | Piece::End => 0,
        };
        let size = sized.then(|| fragments.iter().map(length).sum());
        Self { fragments: fragments.into(), sleep: None, written: false, size }
    }

    /// Waits until the pause has ended.
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
        // hyper joins frames until a body returns Pending; doing so after each frame makes every
        // event a separate write.
        if std::mem::take(&mut self.written) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            std::task::ready!(self.poll_pause(context));
            match self.fragments.pop_front() {
                Some(Piece::Bytes(bytes)) => {
                    self.written = true;
                    return Poll::Ready(Some(Ok(Frame::data(bytes.into()))));
                }
                Some(Piece::Pause(pause)) => {
                    self.sleep = Some(Box::pin(tokio::time::sleep(pause)));
                }
                Some(Piece::Cut) => return Poll::Ready(Some(Err(Cut))),
                // No waker: only the end of the connection ends this.
                Some(Piece::Silence) => {
                    self.fragments.push_front(Piece::Silence);
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

    /// The result of polling a body: `+text`, `wait`, `cut` or `end`.
    fn polled(body: &mut PieceBody) -> String {
        let mut context = Context::from_waker(std::task::Waker::noop());
        match Pin::new(body).poll_frame(&mut context) {
            Poll::Pending => "wait".to_owned(),
            Poll::Ready(None) => "end".to_owned(),
            Poll::Ready(Some(Err(Cut))) => "cut".to_owned(),
            Poll::Ready(Some(Ok(frame))) => {
                let data = frame.into_data().expect("a body without trailers");
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
    fn each_piece_is_written_separately() {
        check(Piece::Cut, ["+a", "wait", "+b", "wait", "cut", "+c"]);
        check(Piece::End, ["+a", "wait", "+b", "wait", "end", "+c"]);
        check(Piece::Silence, ["+a", "wait", "+b", "wait", "wait", "wait"]);
    }
}
