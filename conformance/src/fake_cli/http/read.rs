//! Reading requests from a connection.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;

use super::request::Request;

const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 100;
const MAX_BODY_BYTES: u64 = 64 * 1024 * 1024;

/// The next request; `None` when the client has disconnected.
pub(super) fn read_request(reader: &mut BufReader<TcpStream>) -> Result<Option<Request>> {
    let Some(head) = read_head(reader)? else { return Ok(None) };
    let mut request = parse_head(&head)?;
    if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let is_chunked = request
        .header("transfer-encoding")
        .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
    let body = if is_chunked {
        read_chunks(reader)?
    } else {
        let length = request.header("content-length").map_or(Ok(0), str::parse::<u64>);
        let length = length.map_err(|_| invalid("the content-length is not a number"))?;
        read_exactly(reader, length)?
    };
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}

fn read_head(reader: &mut BufReader<TcpStream>) -> Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(None);
        }
        if head.len() > MAX_HEAD_BYTES {
            return Err(invalid("the head of the request is too long"));
        }
    }
    Ok(Some(head))
}

fn parse_head(head: &[u8]) -> Result<Request> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(head).map_err(|error| invalid(&error.to_string()))?;
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    Ok(Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        headers: parsed
            .headers
            .iter()
            .map(|header| (header.name.to_owned(), text(header.value)))
            .collect(),
        body: String::new(),
    })
}

fn read_chunks(reader: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let digits = line.trim_end().split(';').next().unwrap_or_default();
        let length =
            u64::from_str_radix(digits, 16).map_err(|_| invalid("a chunk has no length"))?;
        body.extend(read_exactly(reader, length)?);
        if body.len() as u64 > MAX_BODY_BYTES {
            return Err(invalid("the body is too long"));
        }
        // The line end after the chunk; after the last one also ends the trailers.
        let mut end = String::new();
        while reader.read_line(&mut end)? > 2 && length == 0 {
            end.clear();
        }
        if length == 0 {
            return Ok(body);
        }
    }
}

fn read_exactly(reader: &mut BufReader<TcpStream>, length: u64) -> Result<Vec<u8>> {
    if length > MAX_BODY_BYTES {
        return Err(invalid("the body is too long"));
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::InvalidData, message)
}
