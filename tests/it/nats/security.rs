//! What a broker with keys lets whom do, and what nobody is shown.

use std::sync::mpsc::channel;

use super::*;

/// Runs openssl in `dir`; `false` if it is not installed.
fn openssl(dir: &Path, words: &str) -> bool {
    let Ok(output) = Command::new("openssl").args(words.split(' ')).current_dir(dir).output() else { return false };
    assert!(output.status.success(), "{}", text(&output.stderr));
    true
}

/// A directory with the broker's configuration of the documentation, a certificate, and the seeds of both users.
fn secured() -> Option<TempDir> {
    let dir = TempDir::new().expect("a directory");
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for words in [
        format!("req -x509 {key} -days 2 -subj /CN=authority -keyout ca-key.pem -out ca.pem"),
        format!(
            "req {key} -subj /CN=broker -addext subjectAltName=IP:127.0.0.1 -keyout server-key.pem -out server.csr"
        ),
        "x509 -req -in server.csr -CA ca.pem -CAkey ca-key.pem -days 2 -copy_extensions copy -out server.pem"
            .to_owned(),
    ] {
        if !openssl(dir.path(), &words) {
            eprintln!("NOT TESTED: a broker with TLS, because openssl is not installed");
            return None;
        }
    }
    let mut conf = include_str!("../../../docs/nats.conf").replace("0.0.0.0:4222", "127.0.0.1:-1");
    for user in ["coordinator", "worker"] {
        let pair = nkeys::KeyPair::new_user();
        let mut theirs = conf.split("nkey: \"").skip(1).filter_map(|rest| rest.split('"').next());
        let theirs = theirs.nth(usize::from(user == "worker")).expect("a key").to_owned();
        conf = conf.replace(&theirs, &pair.public_key());
        fs::write(dir.path().join(format!("{user}.seed")), pair.seed().expect("a seed")).expect("written");
    }
    fs::write(dir.path().join("nats.conf"), conf).expect("written");
    Some(dir)
}

#[test]
fn the_configuration_of_the_documentation_lets_a_worker_play_and_nothing_else() {
    let Some(broker) = secured().and_then(Broker::start_configured) else { return };
    let url = format!("tls://127.0.0.1:{}", broker.port);
    let file = |name: &str| broker.dir.path().join(name).to_str().expect("plain").to_owned();
    let (ca, worker_seed, seed) = (file("ca.pem"), file("worker.seed"), file("coordinator.seed"));
    let bot = "rounds = 1\n[[player]]\nname = \"script\"\ncommand = [\"python3\", \"bot.py\", \"{side}\", \"{port}\"]\n\
               [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    let arena = Arena::new(bot);
    // Longer than what the broker sends before it wants to hear that it arrives.
    let mut file = include_str!("../../../examples/line_bot.py").to_owned().into_bytes();
    file.extend(b"\n#");
    let mut word = 1_u64;
    file.extend(
        std::iter::repeat_with(|| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            b'!' + (word >> 57) as u8 % 94
        })
        .take(6 << 20),
    );
    fs::write(arena.path().join("bot.py"), file).expect("written");
    let coordinate = |seed: &str| {
        let args =
            ["run", "class.toml", "--out", "out", "--nats", &url, "--slots", "0", "--tls-ca", &ca, "--nkey", seed];
        Arena::started(arena.command(&args).args(["--isolation", "off"]).stdout(Stdio::piped()))
    };
    // A worker's key does not let anybody give out jobs.
    let (code, stderr) = coordinate(&worker_seed).end();
    assert_eq!(code, Some(1), "{stderr}");
    fs::remove_dir_all(arena.out()).expect("it has begun");
    let run = coordinate(&seed);
    let elsewhere = Arena::new("");
    let args = ["worker", "--nats", &url, "--name", "one", "--slots", "1", "--tls-ca", &ca, "--nkey", &worker_seed];
    // The coordinator makes the buckets; until then, a worker may not even look.
    let mut command = elsewhere.command(&args);
    let mut worker = Arena::started(command.env("XDG_CACHE_HOME", elsewhere.path()));
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    worker.hear("playing for run");
    let unsigned = arena.output(&["workers", "--nats", &url, "--tls-ca", &ca]);
    assert_eq!(unsigned.status.code(), Some(1), "{}", text(&unsigned.stdout));
    let stderr = text(&unsigned.stderr);
    assert!(stderr.contains("the broker does not know this user, see --nkey and --creds"), "{stderr}");
    let untrusted = arena.output(&["workers", "--nats", &url, "--nkey", &worker_seed]);
    assert!(text(&untrusted.stderr).contains("--tls-ca names the certificate"), "{}", text(&untrusted.stderr));
    assert_refused_to_workers(&broker);
}

/// What a worker tries to publish, and in vain: nothing that concerns other runs' order, and no answers of others.
const FORBIDDEN: [&str; 18] = [
    "gothello.r.job.all.1.1",
    "$KV.gothello_runs.r",
    "$O.gothello_bundles.C.x",
    "$O.gothello_bundles.M.x",
    "$JS.API.STREAM.CREATE.gothello-r-jobs",
    "$JS.API.STREAM.UPDATE.gothello-r-jobs",
    "$JS.API.STREAM.DELETE.gothello-r-jobs",
    "$JS.API.STREAM.PURGE.gothello-r-jobs",
    "$JS.API.STREAM.MSG.DELETE.gothello-r-jobs",
    "$JS.API.STREAM.MSG.GET.gothello-r-results",
    "$JS.API.STREAM.NAMES",
    "$JS.API.DIRECT.GET.gothello-r-results.gothello.r.result.1.1",
    "$JS.API.CONSUMER.CREATE.gothello-r-results",
    "$JS.API.CONSUMER.DURABLE.CREATE.gothello-r-results.x",
    "$JS.API.CONSUMER.DELETE.gothello-r-jobs.all",
    "$JS.API.CONSUMER.INFO.gothello-r-results.answers",
    "$JS.API.CONSUMER.MSG.NEXT.gothello-r-results.answers",
    "$JS.ACK.gothello-r-results.answers.1.1.1.1.1",
];

/// What a worker tries to read in vain.
const UNREADABLE: [&str; 5] =
    ["gothello.>", "_INBOX.>", "_INBOX.gothello_coordinator.>", "$JS.EVENT.>", "$KV.gothello_runs.>"];

/// Checks that the broker refuses, with a worker's key, all that a worker has no business with.
fn assert_refused_to_workers(broker: &Broker) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (sender, refusals) = channel();
    let seed = fs::read_to_string(broker.dir.path().join("worker.seed")).expect("read");
    let options = async_nats::ConnectOptions::new()
        .nkey(seed.trim().to_owned())
        .add_root_certificates(broker.dir.path().join("ca.pem"))
        .custom_inbox_prefix("_INBOX.gothello_worker")
        .event_callback(move |event| {
            let sender = sender.clone();
            async move {
                if let async_nats::Event::ServerError(error) = event {
                    // The test may have ended.
                    let _ = sender.send(error.to_string().to_lowercase());
                }
            }
        });
    runtime.block_on(async {
        let client = options.connect(format!("tls://127.0.0.1:{}", broker.port)).await.expect("connected");
        let mut subscribed = Vec::new();
        for subject in UNREADABLE {
            subscribed.push(client.subscribe(subject).await.expect("sent"));
        }
        for subject in FORBIDDEN {
            client.publish(subject, "x".into()).await.expect("sent");
        }
        client.flush().await.expect("sent");
        let mut missing: Vec<String> = FORBIDDEN
            .map(|subject| format!("publish to \"{}\"", subject.to_lowercase()))
            .into_iter()
            .chain(UNREADABLE.map(|subject| format!("subscription to \"{}\"", subject.to_lowercase())))
            .collect();
        // What is published last is refused last.
        while !missing.is_empty() {
            let Ok(refusal) = refusals.try_recv() else {
                tokio::task::yield_now().await;
                continue;
            };
            missing.retain(|what| !refusal.contains(what));
            assert!(
                missing.is_empty() || !refusal.contains("$js.ack.gothello-r-results.answers"),
                "not refused: {missing:?}"
            );
        }
    });
}

#[test]
fn no_message_shows_the_password_of_an_address() {
    let Some(mut broker) = Broker::start_as(TempDir::new().expect("a directory"), |dir| {
        let conf = "listen: \"127.0.0.1:-1\"\njetstream { store_dir: files }\nauthorization { user: ann, password: swordfish }\n";
        fs::write(dir.join("nats.conf"), conf).expect("written");
    }) else {
        return;
    };
    let arena = Arena::new(&field("rounds = 4", 1));
    let url = |word: &str| format!("nats://ann:{word}@127.0.0.1:{}", broker.port);
    let wrong = arena.output(&["workers", "--nats", &url("swordfisk")]);
    let stderr = text(&wrong.stderr);
    assert!(stderr.contains("//***@127.0.0.1") && !stderr.contains("swordfis") && !stderr.contains("ann:"), "{stderr}");
    let right = url("swordfish");
    let args = ["run", "class.toml", "--out", "out", "--nats", &right, "--slots", "0"];
    let mut run = Arena::started(arena.command(&args).stdout(Stdio::piped()));
    let mut command = arena.command(&["worker", "--nats", &right, "--slots", "1", "--name", "one"]);
    let worker = Arena::started(command.env("XDG_CACHE_HOME", arena.path()));
    let mut said = run.hear("1/24] ");
    broker.server.kill().expect("it runs");
    said.push_str(&run.hear("once the broker is back"));
    run.signal(Signal::TERM);
    said.push_str(&run.end().1);
    worker.signal(Signal::TERM);
    said.push_str(&worker.end().1);
    let kept = fs::read_dir(arena.out()).expect("results").flatten();
    for file in kept.filter(|entry| entry.path().is_file()) {
        said.push_str(&fs::read_to_string(file.path()).unwrap_or_default());
    }
    assert!(!said.contains("swordfish"), "{said}");
}
