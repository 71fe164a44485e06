//! One connection that asks for one thing after the other: HTTP/1.1 with keep-alive (RFC 9112).
//!
//! Responsible for framing: where an answer ends, and whether another may follow. Bodies are
//! counted and thrown away unless wanted. Does not follow redirects, decompress or retry, except on a
//! kept connection that the other side had closed before it saw the request (section 9.3.1).

use super::answer::Answer;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A server that says nothing for so long has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// No header of a tile or a TileJSON comes near; an endless one must end.
const MAX_HEAD: u64 = 64 << 10;

/// No tile comes near; a server that sends without end must be left.
const MAX_BODY: u64 = 256 << 20;

/// Wanted bodies are kept in memory: a TileJSON, nothing larger.
const MAX_KEPT: u64 = 4 << 20;

/// A client of one server.
#[derive(Debug)]
pub(super) struct Client {
    to: SocketAddr,
    authority: String,
    encoding: String,
    connection: Option<BufReader<TcpStream>>,
}

impl Client {
    /// A client that will send `encoding` as its `Accept-Encoding`; an empty one is not sent.
    pub(super) fn new(to: SocketAddr, authority: &str, encoding: &str) -> Self {
        Self { to, authority: authority.to_owned(), encoding: encoding.to_owned(), connection: None }
    }

    /// Asks for a path, on condition that its tag is not this one if there is one.
    pub(super) fn get(&mut self, path: &str, tag: Option<&str>) -> io::Result<Answer> {
        self.ask(path, tag, &mut io::sink())
    }

    /// Asks for a path and keeps the body.
    pub(super) fn fetch(&mut self, path: &str) -> io::Result<(Answer, Vec<u8>)> {
        let mut body = Limited(Vec::new());
        let answer = self.ask(path, None, &mut body)?;
        Ok((answer, body.0))
    }

    fn ask(&mut self, path: &str, tag: Option<&str>, into: &mut dyn Write) -> io::Result<Answer> {
        let mut request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", self.authority);
        if !self.encoding.is_empty() {
            request = request + "Accept-Encoding: " + &self.encoding + "\r\n";
        }
        if let Some(tag) = tag {
            request = request + "If-None-Match: " + tag + "\r\n";
        }
        request += "\r\n";
        let (mut connection, head) = self.reach(request.as_bytes())?;
        let mut answer = Answer::parse(&head).ok_or_else(|| invalid("the answer's head makes no sense"))?;
        let mut keep = answer.keep;
        answer.bytes = match answer.length() {
            Some(length) if length > MAX_BODY => return Err(invalid("the body is too long")),
            Some(length) => copy(&mut connection, length, into)?,
            None if answer.chunked => chunks(&mut connection, into)?,
            None => {
                keep = false;
                let all = io::copy(&mut connection.by_ref().take(MAX_BODY + 1), into)?;
                if all > MAX_BODY {
                    return Err(invalid("the body is too long"));
                }
                all
            }
        };
        self.connection = keep.then_some(connection);
        Ok(answer)
    }

    /// Sends the request on the kept connection or a new one, until an answer's head is there.
    fn reach(&mut self, request: &[u8]) -> io::Result<(BufReader<TcpStream>, String)> {
        if let Some(mut kept) = self.connection.take() {
            match kept.get_mut().write_all(request).and_then(|()| kept.fill_buf().map(<[u8]>::is_empty)) {
                Ok(false) => return head(&mut kept).map(|head| (kept, head)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(io::ErrorKind::TimedOut.into()),
                // Closed while nobody asked: not the server's fault.
                Ok(true) | Err(_) => {}
            }
        }
        let stream = TcpStream::connect_timeout(&self.to, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut connection = BufReader::with_capacity(32 << 10, stream);
        connection.get_mut().write_all(request)?;
        let head = head(&mut connection)?;
        Ok((connection, head))
    }
}

/// Everything up to the empty line.
fn head(from: &mut impl BufRead) -> io::Result<String> {
    let (mut from, mut head) = (from.take(MAX_HEAD), Vec::new());
    loop {
        let start = head.len();
        from.read_until(b'\n', &mut head).map_err(patience)?;
        if !head[start..].ends_with(b"\n") {
            return Err(if head.len() as u64 == MAX_HEAD { invalid("the head is too long") } else { cut_off() });
        }
        if matches!(&head[start..], b"\r\n" | b"\n") {
            return String::from_utf8(head).map_err(|_| invalid("the head is no text"));
        }
    }
}

/// Passes exactly this many bytes on.
fn copy(from: &mut impl Read, length: u64, into: &mut dyn Write) -> io::Result<u64> {
    let copied = io::copy(&mut from.take(length), into).map_err(patience)?;
    if copied < length { Err(cut_off()) } else { Ok(copied) }
}

/// A chunked body (RFC 9112, section 7.1).
fn chunks(from: &mut impl BufRead, into: &mut dyn Write) -> io::Result<u64> {
    let mut total = 0;
    loop {
        let line = line(from)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| invalid("a chunk without a size"))?;
        total += size;
        if size > MAX_BODY || total > MAX_BODY {
            return Err(invalid("the body is too long"));
        }
        if size == 0 {
            // Trailers end with an empty line.
            while !self::line(from)?.is_empty() {}
            return Ok(total);
        }
        copy(from, size, into)?;
        if !line_is_empty(from)? {
            return Err(invalid("a chunk that does not end"));
        }
    }
}

fn line_is_empty(from: &mut impl BufRead) -> io::Result<bool> {
    Ok(line(from)?.is_empty())
}

fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.take(1024).read_line(&mut line).map_err(patience)?;
    if !line.ends_with('\n') {
        return Err(cut_off());
    }
    Ok(line.trim_end().to_owned())
}

/// A read that ran into its timeout has a name that differs between systems.
fn patience(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the answer was cut off")
}

/// Memory that takes no more than a document.
struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.0.len() + bytes.len()) as u64 > MAX_KEPT {
            return Err(invalid("the document is too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunked_bodies() {
        let check = |text: &str, expected: Option<&str>| {
            let mut out = Vec::new();
            let read = chunks(&mut text.as_bytes(), &mut out);
            assert_eq!(read.is_ok(), expected.is_some(), "{text:?}");
            if let Some(body) = expected {
                assert_eq!((out.as_slice(), read.unwrap()), (body.as_bytes(), body.len() as u64));
            }
        };
        check("0\r\n\r\n", Some(""));
        check("3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", Some("abc0123456789"));
        check("0\r\nTrailer: x\r\n\r\n", Some(""));
        for text in
            ["", "\r\n", "x\r\n", "3\r\nab", "3\r\nabcd\r\n0\r\n\r\n", "0\r\n", "ffffffffffffffff\r\n", "-1\r\n"]
        {
            check(text, None);
        }
    }

    #[test]
    fn heads() {
        let check = |text: String, ok| assert_eq!(head(&mut text.as_bytes()).is_ok(), ok);
        let long = |more: usize| format!("{}\n\r\n", "x".repeat(MAX_HEAD as usize - 3 + more));
        check("HTTP/1.1 200 OK\r\nA: b\r\n\r\n".into(), true);
        check("HTTP/1.1 200 OK\r\nA: b\r\n".into(), false);
        check(long(0), true);
        check(long(1), false);
    }

    /// What a client gets from a server that sends these bytes to each connection and closes.
    fn from_server(sends: &'static [&'static str], asks: usize) -> Vec<io::Result<Answer>> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            for send in sends {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                head(&mut reader).unwrap();
                stream.write_all(send.as_bytes()).unwrap();
            }
        });
        let mut client = Client::new(to, "test", "gzip");
        let answers = (0..asks).map(|_| client.get("/", None)).collect();
        drop(client);
        server.join().unwrap();
        answers
    }

    #[test]
    fn a_kept_connection_that_was_closed_is_opened_again() {
        const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab";
        let answers = from_server(&[OK, OK], 2);
        assert!(answers.iter().all(|a| a.as_ref().is_ok_and(|a| a.bytes == 2)), "{answers:?}");
    }

    #[test]
    fn answers_that_fail() {
        for sends in [
            &[""] as &'static [&'static str],
            &["nonsense\r\n\r\n"],
            &["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"],
            &["HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nab"],
        ] {
            assert!(from_server(sends, 1)[0].is_err(), "{sends:?}");
        }
        let untilclosed = from_server(&["HTTP/1.0 200 OK\r\n\r\nabcd"], 1);
        assert_eq!(untilclosed[0].as_ref().unwrap().bytes, 4);
    }
}
