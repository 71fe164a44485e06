//! A client that sends what it is told, byte for byte, and looks closely at what comes back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// No answer takes this long; a hang fails instead of hanging the suite.
const PATIENCE: Duration = Duration::from_secs(20);

/// One answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a field that stands there at most once.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let first = found.next();
        assert_eq!(found.next(), None, "{name} stands twice in {self:?}");
        first
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A connection on which requests can follow each other.
pub struct Connection(TcpStream);

impl Connection {
    pub fn open(to: SocketAddr) -> Self {
        let stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    pub fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).unwrap();
    }

    /// Sends a request; `answer` reads what comes.
    pub fn request(&mut self, method: &str, target: &str, fields: &[(&str, &str)]) {
        let mut head = format!("{method} {target} HTTP/1.1\r\n");
        if !fields.iter().any(|(name, _)| *name == "Host") {
            head += "Host: tiles.test\r\n";
        }
        for (name, value) in fields {
            head = head + name + ": " + value + "\r\n";
        }
        self.send(&(head + "\r\n"));
    }

    /// The next answer on this connection; it must have a length (RFC 9112, section 6.3).
    pub fn answer(&mut self, method: &str) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            assert_eq!(self.0.read(&mut byte).unwrap(), 1, "closed after {:?}", String::from_utf8_lossy(&head));
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().lines();
        let mut first = lines.next().unwrap().splitn(3, ' ');
        assert!(first.next().unwrap().starts_with("HTTP/1."));
        let status = first.next().unwrap().parse().unwrap();
        let field = |line: &str| line.split_once(':').map(|(n, v)| (n.to_lowercase(), v.trim().to_owned())).unwrap();
        let mut answer = Answer { status, fields: lines.map(field).collect(), body: Vec::new() };
        assert_eq!(answer.field("transfer-encoding"), None);
        if method != "HEAD" && ![204, 304].contains(&status) {
            let length = answer.field("content-length").expect("a length").parse().unwrap();
            answer.body = vec![0; length];
            self.0.read_exact(&mut answer.body).unwrap();
        }
        answer
    }

    /// Whether the other side closes without another byte.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.0.read(&mut [0]), Ok(0))
    }
}

/// One request on a connection of its own; nothing may follow the answer.
pub fn ask(to: SocketAddr, method: &str, target: &str, fields: &[(&str, &str)]) -> Answer {
    let mut connection = Connection::open(to);
    let fields: Vec<_> = fields.iter().copied().chain([("Connection", "close")]).collect();
    connection.request(method, target, &fields);
    let answer = connection.answer(method);
    assert!(connection.is_closed(), "bytes after {answer:?}");
    answer
}

/// A GET that takes gzip.
pub fn get(to: SocketAddr, target: &str) -> Answer {
    ask(to, "GET", target, &[("Accept-Encoding", "gzip")])
}
