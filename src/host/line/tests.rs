//! Tests for cutting lines from chunks, and for connections over in-memory pipes.

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::referee::wire::MAX_LINE;

fn cut(chunks: &[&[u8]]) -> Vec<Line> {
    let mut cutter = LineCutter::default();
    let mut lines = VecDeque::new();
    for chunk in chunks {
        cutter.push(chunk, &mut lines);
    }
    cutter.finish(&mut lines);
    lines.into()
}

fn text(line: &str) -> Line {
    Line::Text(line.to_owned())
}

#[test]
fn each_kind_of_line_end_ends_a_line() {
    let three = vec![text("1 c3"), text("2 d4"), text("pass")];
    assert_eq!(cut(&[b"1 c3\r2 d4\rpass"]), three);
    assert_eq!(cut(&[b"1 c3\r\r2 d4\r\rpass\r\r"]), three);
    assert_eq!(cut(&[b"1 c3\r\n2 d4\r\n", b"pa", b"ss\r\n"]), three);
    assert_eq!(cut(&[b"\n \t\n1 c3\n\n2 d4\npass\n"]), three);
}

#[test]
fn a_line_may_have_512_bytes_and_no_more() {
    let longest = "x".repeat(MAX_LINE);
    let too_long = format!("{longest}x\r1 c3\r");
    assert_eq!(cut(&[longest.as_bytes(), b"\r1 c3"]), [text(&longest), text("1 c3")]);
    assert_eq!(cut(&[too_long.as_bytes()]), [Line::TooLong, text("1 c3")]);
    assert_eq!(cut(&[&[b'x'; 4096], &[b'x'; 4096]]), [Line::TooLong]);
}

proptest! {
    #[test]
    fn where_the_bytes_are_split_makes_no_difference(bytes in proptest::collection::vec(any::<u8>(), 0..1200), at: usize) {
        let (head, tail) = bytes.split_at(at % (bytes.len() + 1));
        prop_assert_eq!(cut(&[head, tail]), cut(&[&bytes]));
    }
}

#[tokio::test]
async fn lines_before_the_end_come_before_the_end() {
    let (ours, mut theirs) = tokio::io::duplex(64);
    let mut connection = Connection::new(Stream::Duplex(ours));
    theirs.write_all(b"1 c3\r2 d4").await.expect("written");
    drop(theirs);
    assert!(matches!(connection.next().await, Input::Line(line, _) if line == text("1 c3")));
    assert!(matches!(connection.next().await, Input::Line(line, _) if line == text("2 d4")));
    assert_eq!(connection.next().await, Input::Closed);
    assert_eq!(connection.next().await, Input::Closed);
}

#[tokio::test]
async fn a_flood_does_not_keep_a_connection_open() {
    let (ours, mut theirs) = tokio::io::duplex(1024);
    let mut connection = Connection::new(Stream::Duplex(ours));
    for flood in [&b"x"[..], b"x\r", b"\r"] {
        tokio::select! {
            () = connection.close() => {}
            () = async { while theirs.write_all(&flood.repeat(1000)).await.is_ok() {} } => panic!("cut off"),
        }
    }
}

#[test]
fn a_connection_that_moves_to_another_scheduler_loses_nothing() {
    use std::io::{Read, Write};
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (first, second) = (runtime(), runtime());
    let (mut connection, mut client) = first.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let client = std::net::TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        (Connection::new(Stream::Tcp(listener.accept().await.expect("a client").0)), client)
    });
    client.write_all(b"1 c3\r2 d4\r3").expect("sent");
    let line = first.block_on(connection.next());
    assert!(matches!(line, Input::Line(line, _) if line == text("1 c3")));
    let mut connection = second.block_on(async { connection.settled().expect("registered") });
    drop(first);
    second.block_on(async {
        assert!(matches!(connection.next().await, Input::Line(line, _) if line == text("2 d4")));
        client.write_all(b" e5\r").expect("sent");
        assert!(matches!(connection.next().await, Input::Line(line, _) if line == text("3 e5")));
        connection.send(b"200 fine\r\n").await;
        let mut heard = [0; 10];
        client.read_exact(&mut heard).expect("heard");
        assert_eq!(&heard, b"200 fine\r\n");
    });
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_nothing_up_and_gets_everything_in_the_end() {
    let (ours, mut theirs) = tokio::io::duplex(16);
    let mut connection = Connection::new(Stream::Duplex(ours));
    let long = vec![b'y'; 10_000];
    connection.send(&long).await;
    theirs.write_all(b"1 c3\r").await.expect("written");
    assert!(matches!(connection.next().await, Input::Line(..)));
    let mut got = Vec::new();
    let (mut theirs_read, theirs_write) = tokio::io::split(theirs);
    let reading = async {
        theirs_read.read_to_end(&mut got).await.expect("read");
        drop((theirs_read, theirs_write));
    };
    tokio::join!(reading, connection.close());
    assert_eq!(got, long);
}
