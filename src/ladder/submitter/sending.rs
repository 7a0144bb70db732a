//! The request that submits a bot, over HTTP or HTTPS. The answer is hostile: its size and the time to read it are
//! limited.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::packing::PackedDir;
use super::submit_url::SubmitUrl;
use crate::base::time::{now, timeout_at};

/// How long connecting may take, how long to wait for permission to send the archive, and how long everything may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
const EXPECT_TIMEOUT: Duration = Duration::from_secs(10);
const WHOLE_TIMEOUT: Duration = Duration::from_mins(10);

/// The maximum number of bytes of an answer.
const MOST_ANSWER: usize = 64 << 10;

/// The answer of a door.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HttpAnswer {
    status: u16,
    body: Vec<u8>,
}

/// The body of a door's answer.
#[derive(Deserialize)]
struct ToldByDoor {
    message: String,
}

impl HttpAnswer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The door's message, which may contain unprintable characters.
    pub(super) fn message(&self) -> String {
        match serde_json::from_slice::<ToldByDoor>(&self.body) {
            Ok(told) => told.message,
            Err(_) if self.is_success() => format!("the server answered with status {}", self.status),
            Err(_) => {
                format!("the server answered with status {}, but not like a ladder: check the address", self.status)
            }
        }
    }
}

/// Sends `packed` to `url`, with `token`. Returns the answer.
///
/// # Errors
/// Fails if there is no connection, or no answer.
pub(super) async fn send(url: &SubmitUrl, token: &str, packed: PackedDir) -> io::Result<HttpAnswer> {
    let late = |_| io::Error::new(ErrorKind::TimedOut, "it did not answer in time");
    let connecting = TcpStream::connect((url.host(), url.port()));
    let stream = timeout_at(now() + CONNECT_TIMEOUT, connecting).await.map_err(late)??;
    let request = async {
        if url.is_encrypted() {
            let name = ServerName::try_from(url.host().to_owned()).map_err(io::Error::other)?;
            talk(TlsConnector::from(Arc::new(trust()?)).connect(name, stream).await?, url, token, packed).await
        } else {
            talk(stream, url, token, packed).await
        }
    };
    timeout_at(now() + WHOLE_TIMEOUT, request).await.map_err(late)?
}

/// The certificates that this machine trusts.
fn trust() -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(io::Error::other(
            "this machine has no root certificates to verify the server's certificate with (package `ca-certificates`)",
        ));
    }
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(config.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth())
}

/// Sends the request over `stream`, and reads the answer.
async fn talk(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    url: &SubmitUrl,
    token: &str,
    packed: PackedDir,
) -> io::Result<HttpAnswer> {
    let head = format!(
        "PUT {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/gzip\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        url.path(),
        url.host_header(),
        packed.bytes
    );
    stream.write_all(head.as_bytes()).await?;
    stream.flush().await?;
    let mut received = Vec::new();
    // Some servers wait for the archive without sending permission.
    let first = timeout_at(now() + EXPECT_TIMEOUT, answer_head(&mut stream, &mut received)).await;
    let is_allowed = match first {
        Err(_) => true,
        Ok(first) => first?.0 == 100,
    };
    if is_allowed {
        if received.starts_with(b"HTTP/1.1 100") {
            received.drain(..head_end(&received).unwrap_or(received.len()));
        }
        let mut archive = tokio::io::BufReader::new(ArchiveReader(packed.archive));
        // A server that refuses the archive may close the connection before it has received all of the archive.
        let _ = tokio::io::copy_buf(&mut archive, &mut stream).await;
        let _ = stream.flush().await;
    }
    loop {
        let (status, length) = answer_head(&mut stream, &mut received).await?;
        let end = head_end(&received).unwrap_or(received.len());
        if (100..200).contains(&status) {
            received.drain(..end);
            continue;
        }
        let is_chunked = is_chunked(&received[..end]);
        let mut body = received.split_off(end);
        while body.len() < MOST_ANSWER && length.is_none_or(|length| body.len() < length) {
            // A server may close the connection without closing TLS properly. The part of the answer that has arrived
            // by then has to suffice.
            let more = stream.read_buf(&mut body).await;
            if !more.is_ok_and(|read| read > 0) {
                break;
            }
        }
        let body = if is_chunked { unchunked(&body) } else { body };
        return Ok(HttpAnswer { status, body });
    }
}

/// Reads the head of an answer into `received`. Returns its status, and the length of the body if the head states it.
async fn answer_head(
    stream: &mut (impl AsyncRead + Unpin),
    received: &mut Vec<u8>,
) -> io::Result<(u16, Option<usize>)> {
    while head_end(received).is_none() {
        if received.len() > MOST_ANSWER || stream.read_buf(received).await? == 0 {
            return Err(io::Error::new(ErrorKind::InvalidData, "it does not answer like a web server"));
        }
    }
    let head = String::from_utf8_lossy(&received[..head_end(received).unwrap_or_default()]).into_owned();
    let status = head.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
    let status =
        status.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it does not answer like a web server"))?;
    let length = header(&head, "content-length").and_then(|length| length.parse().ok());
    Ok((status, length))
}

/// Where the head of the answer in `received` ends; `None` if it is not complete.
fn head_end(received: &[u8]) -> Option<usize> {
    received.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// The value of the header `name`, which is matched regardless of case; `None` if there is no such header.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    fields.find(|(known, _)| known.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn is_chunked(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head).into_owned();
    header(&head, "transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
}

/// The contents of a body that consists of chunks, up to the first one that is not complete.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let size = str::from_utf8(&body[..end]).ok().and_then(|size| size.split(';').next());
        let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let Some(chunk) = size.filter(|size| *size > 0).and_then(|size| body[end + 2..].get(..size)) else { break };
        whole.extend_from_slice(chunk);
        body = body[end + 2 + chunk.len()..].strip_prefix(b"\r\n").unwrap_or_default();
    }
    whole
}

/// The archive. It is read on this thread: the client does nothing else in the meantime.
struct ArchiveReader(std::fs::File);

impl AsyncRead for ArchiveReader {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        let read = io::Read::read(&mut self.0, buffer.initialize_unfilled());
        std::task::Poll::Ready(read.map(|read| buffer.advance(read)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer to a submission if the server sends `text` and then closes the connection.
    async fn answer(text: &'static [u8]) -> io::Result<HttpAnswer> {
        let (ours, mut theirs) = tokio::io::duplex(1 << 20);
        let mut archive = tempfile::tempfile()?;
        io::Write::write_all(&mut archive, b"archive")?;
        io::Seek::rewind(&mut archive)?;
        let url = "http://127.0.0.1:1/submit/ada".parse().expect("an address");
        theirs.write_all(text).await?;
        theirs.shutdown().await?;
        talk(ours, &url, "token", PackedDir { archive, bytes: 7, files: 1, secret: Vec::new() }).await
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_read_however_it_is_sent() {
        const JSON: &str = "{\"ok\":true,\"message\":\"well\"}";
        for text in [
            &b"HTTP/1.1 202 Accepted\r\nContent-Length: 28\r\n\r\n{\"ok\":true,\"message\":\"well\"}"[..],
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n{\"ok\":true,\"message\":\"well\"}",
            b"HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\nA\r\n{\"ok\":true\r\n12;x=y\r\n,\"message\":\"well\"}\r\n0\r\n\r\n",
            b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n{\"ok\":true,\"message\":\"well\"}",
        ] {
            let answer = answer(text).await.expect("an answer");
            assert_eq!((answer.status, String::from_utf8_lossy(&answer.body)), (202, JSON.into()));
            assert_eq!((answer.is_success(), answer.message()), (true, "well".to_owned()));
        }
        let odd = answer(b"HTTP/1.1 502 Bad Gateway\r\n\r\n<html>").await.expect("an answer");
        assert!(!odd.is_success() && odd.message().contains("502") && odd.message().contains("check the address"));
        for wrong in [&b""[..], b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1", b"\0\0\0\0\r\n\r\n"] {
            assert!(answer(wrong).await.is_err());
        }
    }
}
