//! Games recorded on the original server, played again here.

use std::fs;

use crate::arena::Client;
use crate::serve::Server;

/// A recorded game.
struct Transcript {
    /// The connections in the order in which they said hello.
    clients: Vec<Recorded>,
    /// What was printed on stdout.
    printed: String,
}

/// One connection: its name in the recording, what it said and what it was told.
#[derive(Default)]
struct Recorded {
    name: String,
    said: Vec<String>,
    told: Vec<String>,
}

impl Transcript {
    fn read(name: &str) -> Self {
        let path = format!("{}/tests/data/transcripts/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(path).expect("a transcript");
        let mut transcript = Self { clients: Vec::new(), printed: String::new() };
        for line in text.lines() {
            if let Some(printed) = line.strip_prefix("#   | ") {
                transcript.printed.push_str(printed.trim_end_matches("\\r"));
                transcript.printed.push('\n');
            } else if let (false, Some((_, quoted))) = (line.starts_with('#'), line.split_once('"')) {
                let text = quoted.trim_end_matches('"').replace("\\r", "").replace("\\n", "");
                let client = transcript.client(line.split_whitespace().find(|word| word.starts_with('c')));
                if line.contains(" C->S ") { client.said.push(text) } else { client.told.push(text) }
            }
        }
        transcript
    }

    fn client(&mut self, name: Option<&str>) -> &mut Recorded {
        let name = name.expect("each line has its connection");
        let at = self.clients.iter().position(|client| client.name == name).unwrap_or_else(|| {
            self.clients.push(Recorded { name: name.to_owned(), ..Recorded::default() });
            self.clients.len() - 1
        });
        &mut self.clients[at]
    }
}

/// Code and fields, which are all that clients read; the side `*` of the end is `.` here.
fn fields(line: &str) -> String {
    let fields = match line.get(..3).unwrap_or_default() {
        "311" | "315" | "321" | "322" | "325" => 3,
        "312" | "316" | "323" | "324" | "326" => 4,
        code if code.starts_with("38") || line.len() == 5 => 3,
        _ => 1,
    };
    line.replace('*', ".").split_whitespace().take(fields).collect::<Vec<_>>().join(" ")
}

/// What an observer hears beside what the original tells: how many look on, and the board at the beginning.
fn without_opening(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.retain(|line| !line.starts_with("344"));
    if let Some(start) = lines.iter().position(|line| line.starts_with("353")) {
        lines.drain(start + 1..start + 8);
    }
    lines
}

/// The original prints the board before each try of a move, which is printed once here, and `*` where there is `.` here.
fn once_a_ply(printed: &str) -> String {
    let mut boards: Vec<&str> = printed.trim_end().split("\n\n").collect();
    boards.dedup();
    format!("{}\n", boards.join("\n\n").replace(" *\n", " .\n"))
}

#[test]
fn games_recorded_on_the_original_server_go_the_same_way() {
    for name in ["short_game", "observers", "illegal_moves", "wrong_numbers", "seat_taken", "passes"] {
        let transcript = Transcript::read(name);
        let server = Server::start(&[]);
        let mut clients: Vec<(Client, Vec<String>)> = Vec::new();
        for recorded in &transcript.clients {
            let mut client = server.client(&recorded.said[0]);
            let heard = vec![client.line(), client.line()];
            clients.push((client, heard));
        }
        // Lines out of turn are kept, so that each player may say all that it has to say.
        for ((client, _), recorded) in clients.iter_mut().zip(&transcript.clients) {
            for line in &recorded.said[1..] {
                client.say(&format!("{line}\r"));
            }
        }
        for ((client, mut heard), recorded) in clients.into_iter().zip(&transcript.clients) {
            heard.extend(client.rest().lines().map(str::to_owned));
            let heard: Vec<String> = without_opening(&heard).iter().map(|line| fields(line)).collect();
            let told: Vec<String> = recorded.told.iter().map(|line| fields(line)).collect();
            assert_eq!(heard, told, "{name}, {}", recorded.name);
        }
        let (code, printed) = server.end();
        assert_eq!(code, Some(0), "{name}");
        assert_eq!(printed, once_a_ply(&transcript.printed), "{name}");
    }
}
