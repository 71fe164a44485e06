//! The demo: one command from nothing to a map, and hardly anything the second time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running demo; ended with its owner.
struct Demo {
    child: Child,
    url: String,
}

impl Demo {
    /// Starts one and waits for its address.
    fn start(folder: &Path, port: u16) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_immutile"))
            .args(["demo", "--listen", &format!("127.0.0.1:{port}")])
            .current_dir(folder)
            .env_remove("IMMUTILE_STORE")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", &self.url[7..]).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Ends it as Ctrl-C would, and returns what it told.
    fn stop(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let mut told = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(self.child.wait().unwrap().success(), "{told}");
        told
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn from_nothing_to_a_map_and_again() {
    // An empty folder: the world comes from inside the program.
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let demo = Demo::start(folder.path(), port);
    let tile = demo.get("/v1/0/0/0.mvt");
    for part in ["200 OK", "application/vnd.mapbox-vector-tile", "public, max-age=31536000, immutable", "etag: \""] {
        assert!(tile.to_lowercase().contains(&part.to_lowercase()), "{part} is not in {tile:.600}");
    }
    assert!(demo.get("/world.json").contains("\"tilejson\":\"3.0.0\""));
    let missing = demo.get("/v2/0/0/0.mvt").to_lowercase();
    assert!(missing.contains("404 not found") && missing.contains("no-store"), "{missing}");
    let told = demo.stop();
    assert!(told.contains(&format!("127.0.0.1:{port} is in use")) && told.contains("published world v1"), "{told}");

    let again = Demo::start(folder.path(), 0);
    assert!(again.get("/v1/0/0/0.mvt").starts_with("HTTP/1.1 200"));
    let told = again.stop();
    assert!(told.contains("nothing to rebuild"), "{told}");
    let left: Vec<_> =
        std::fs::read_dir(folder.path().join("store")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(
        !left.iter().any(|name| name.to_string_lossy().contains("tmp") || name.to_string_lossy().contains(".world")),
        "{left:?}"
    );
}
