//! What a load test looks at in an answer: status, tag, encoding, length, and who answered.

/// The head of an answer, and how long its body was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub status: u16,
    /// Bytes of the body as they came, without the framing.
    pub bytes: u64,
    pub tag: Option<String>,
    /// The `Content-Encoding`, `identity` where there is none.
    pub encoding: String,
    /// Whether a cache answered, `None` where nobody says.
    pub hit: Option<bool>,
    /// Whether the connection stays open.
    pub keep: bool,
    pub chunked: bool,
    pub content_length: Option<u64>,
}

impl Answer {
    pub(super) fn parse(head: &str) -> Option<Self> {
        let mut lines = head.trim_end().lines();
        let mut first = lines.next()?.splitn(3, ' ');
        let version = first.next()?.strip_prefix("HTTP/1.")?;
        let status = first.next()?.parse().ok().filter(|status| (200..600).contains(status))?;
        let mut answer = Self { status, keep: version == "1", encoding: "identity".into(), ..Self::default() };
        let mut verdicts = Verdicts::default();
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => answer.content_length = Some(value.parse().ok()?),
                "transfer-encoding" => answer.chunked = value.to_ascii_lowercase().ends_with("chunked"),
                "content-encoding" => answer.encoding = value.to_ascii_lowercase(),
                "etag" => answer.tag = Some(value.to_owned()),
                "connection" => match value.to_ascii_lowercase().as_str() {
                    "close" => answer.keep = false,
                    "keep-alive" => answer.keep = true,
                    _ => {}
                },
                name => verdicts.note(name, value),
            }
        }
        answer.hit = verdicts.hit();
        Some(answer)
    }

    /// Bytes that follow, where that is known before they come (RFC 9112, section 6.3).
    pub(super) fn length(&self) -> Option<u64> {
        match self.status {
            204 | 304 => Some(0),
            _ if self.chunked => None,
            _ => self.content_length,
        }
    }
}

/// What caches say about an answer, the plainest word first.
#[derive(Debug, Default)]
struct Verdicts {
    /// RFC 9211.
    standard: Option<bool>,
    /// Not standard, but everywhere.
    custom: Option<bool>,
    age: Option<bool>,
}

impl Verdicts {
    fn note(&mut self, name: &str, value: &str) {
        let value = value.to_ascii_lowercase();
        match name {
            // Several caches in a row: one hit is enough, the origin was not asked.
            "cache-status" => {
                let hit = value.split([',', ';']).any(|word| word.trim() == "hit");
                self.standard = Some(hit || self.standard == Some(true));
            }
            "x-cache" | "x-cache-status" | "cf-cache-status" => {
                let hit = ["hit", "stale", "updating", "revalidated"].iter().any(|word| value.contains(word));
                self.custom = Some(hit || self.custom == Some(true));
            }
            // An age of 0 says nothing: both a miss and a hit in the first second have it.
            "age" => self.age = value.parse::<u64>().ok().filter(|&age| age > 0).map(|_| true),
            _ => {}
        }
    }

    fn hit(&self) -> Option<bool> {
        self.standard.or(self.custom).or(self.age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let head = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\ncontent-length:  12\r\nContent-Encoding: GZIP\r\n\r\n";
        let answer = Answer::parse(head).unwrap();
        assert_eq!((answer.status, answer.tag.as_deref(), answer.length()), (200, Some("\"a\""), Some(12)));
        assert_eq!((answer.encoding.as_str(), answer.keep, answer.hit), ("gzip", true, None));
        for head in ["", "HTTP/2 200", "HTTP/1.1 abc", "HTTP/1.1 99 x", "HTTP/1.1 600 x", "HTTP/1.1 200 OK\r\nx"] {
            assert_eq!(Answer::parse(head), None, "{head}");
        }
        assert_eq!(Answer::parse("HTTP/1.1 200 OK\r\nContent-Length: -1"), None);
    }

    #[test]
    fn lengths_and_what_follows() {
        let check = |head: &str, length, keep| {
            let answer = Answer::parse(head).unwrap();
            assert_eq!((answer.length(), answer.keep), (length, keep), "{head}");
        };
        check("HTTP/1.1 204 x", Some(0), true);
        check("HTTP/1.1 304 x\r\nContent-Length: 9", Some(0), true);
        check("HTTP/1.1 200 x\r\nContent-Length: 9\r\nTransfer-Encoding: chunked", None, true);
        check("HTTP/1.1 200 x\r\nConnection: Close", None, false);
        check("HTTP/1.0 200 x", None, false);
        check("HTTP/1.0 200 x\r\nConnection: keep-alive\r\nContent-Length: 1", Some(1), true);
    }

    #[test]
    fn who_answered() {
        let check = |fields: &str, hit| {
            let head = format!("HTTP/1.1 200 OK\r\n{fields}");
            assert_eq!(Answer::parse(&head).unwrap().hit, hit, "{fields}");
        };
        check("", None);
        check("Age: 0", None);
        check("Age: 1", Some(true));
        check("Age: x", None);
        check("X-Cache: HIT", Some(true));
        check("X-Cache: MISS", Some(false));
        check("X-Cache: MISS, HIT", Some(true));
        check("X-Cache: Hit from cloudfront", Some(true));
        check("X-Cache-Status: EXPIRED\r\nAge: 5", Some(false));
        check("CF-Cache-Status: DYNAMIC", Some(false));
        check("CF-Cache-Status: REVALIDATED", Some(true));
        check("Cache-Status: Edge; fwd=uri-miss", Some(false));
        check("Cache-Status: Origin; hit, Edge; fwd=miss", Some(true));
        check("Cache-Status: hitless; fwd=miss\r\nX-Cache: HIT", Some(false));
    }
}
