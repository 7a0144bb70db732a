//! Permissions at a broker with keys, and data that must stay hidden.

use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;

use super::*;
use crate::harness::arena::TIMEOUT;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, PAUSE};

/// Runs openssl in `dir`; `false` if it is not installed.
fn openssl(dir: &Path, words: &str) -> bool {
    let Ok(output) = Command::new("openssl").args(words.split(' ')).current_dir(dir).output_in_time() else {
        return false;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    true
}

/// A directory with the broker's configuration from the documentation, a certificate, and the seeds of both users.
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
            skipped(Need::Tools, "openssl is not installed");
            return None;
        }
    }
    let mut conf = include_str!("../../../../docs/reference/nats.conf").replace("0.0.0.0:4222", "127.0.0.1:-1");
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
    // The file is larger than the amount that the broker sends before it needs an acknowledgement.
    let mut file = include_str!("../../../../examples/line_bot.py").to_owned().into_bytes();
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
    // A worker's key does not permit publishing jobs.
    let (code, stderr) = coordinate(&worker_seed).end();
    assert_eq!(code, Some(1), "{stderr}");
    fs::remove_dir_all(arena.out()).expect("removed");
    let run = coordinate(&seed);
    let elsewhere = Arena::new("");
    let args = ["worker", "--nats", &url, "--name", "one", "--slots", "1", "--tls-ca", &ca, "--nkey", &worker_seed];
    // The coordinator creates the buckets; until then, a worker may not even read them.
    let mut command = elsewhere.command(&args);
    let mut worker = Arena::started(command.env("XDG_CACHE_HOME", elsewhere.path()));
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    worker.hear("playing for run");
    let unsigned = arena.output(&["workers", "--nats", &url, "--tls-ca", &ca]);
    assert_eq!(unsigned.status.code(), Some(1), "{}", text(&unsigned.stdout));
    let stderr = text(&unsigned.stderr);
    assert!(stderr.contains("the broker does not accept this user; check --nkey and --creds"), "{stderr}");
    let untrusted = arena.output(&["workers", "--nats", &url, "--nkey", &worker_seed]);
    assert!(text(&untrusted.stderr).contains("--tls-ca names the certificate"), "{}", text(&untrusted.stderr));
    assert_refused_to_workers(&broker);
}

/// Subjects to which a worker must not be able to publish: everything that controls runs, and other workers' answers.
const FORBIDDEN: [&str; 20] = [
    "gothello.r.job.all.1.1",
    "$KV.gothello_runs.r",
    "$KV.gothello_manifests.r",
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
    LAST,
];

/// A subject to which no client may publish. It is tried after all others.
const LAST: &str = "of.nobody";

/// Subjects that a worker must not be able to read.
const UNREADABLE: [&str; 5] =
    ["gothello.>", "_INBOX.>", "_INBOX.gothello_coordinator.>", "$JS.EVENT.>", "$KV.gothello_runs.>"];

/// Checks that the broker denies a worker's key everything that a worker does not need.
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
                    // The test may already have ended.
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
        // The refusals come in the order of the messages, so the refusal of the last message comes last.
        let deadline = std::time::Instant::now() + TIMEOUT;
        while !missing.is_empty() {
            let Ok(refusal) = refusals.try_recv() else {
                assert!(std::time::Instant::now() < deadline, "not refused: {missing:?}");
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            missing.retain(|what| !refusal.contains(what));
            assert!(missing.is_empty() || !refusal.contains(LAST), "not refused: {missing:?}");
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

/// A JWT in the form that NATS requires: `claims` with an id, signed by `issuer`.
fn jwt(issuer: &nkeys::KeyPair, subject: &nkeys::KeyPair, claims: &serde_json::Value) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let header = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let claims = serde_json::json!({
        "jti": "ID", "iat": 1_700_000_000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": "test", "nats": claims,
    });
    let body = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let signature = issuer.sign(body.as_bytes()).expect("signed");
    format!("{body}.{}", URL_SAFE_NO_PAD.encode(signature))
}

#[test]
fn a_credentials_file_lets_in_whoever_the_operator_has_signed() {
    use nkeys::KeyPair;
    let (operator, account, user) = (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
    let free = serde_json::json!({
        "type": "account", "version": 2, "default_permissions": { "pub": {}, "sub": {} },
        "limits": {
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
            "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
        },
    });
    let of_user = serde_json::json!({ "type": "user", "version": 2, "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1 });
    let system = KeyPair::new_account();
    let configure = |dir: &Path| {
        let operator_jwt = jwt(&operator, &operator, &serde_json::json!({ "type": "operator", "version": 2 }));
        let (account_jwt, system_jwt) = (jwt(&operator, &account, &free), {
            let mut claims = free.clone();
            for key in ["mem_storage", "disk_storage", "streams", "consumer"] {
                claims["limits"][key] = 0.into();
            }
            jwt(&operator, &system, &claims)
        });
        let conf = format!(
            "listen: \"127.0.0.1:-1\"\njetstream {{ store_dir: files }}\noperator: \"{operator_jwt}\"\nresolver: MEMORY\n\
             system_account: {1}\nresolver_preload: {{\n {0}: \"{account_jwt}\"\n {1}: \"{system_jwt}\"\n}}\n",
            account.public_key(),
            system.public_key()
        );
        fs::write(dir.join("nats.conf"), conf).expect("written");
        for (name, issuer) in [("right", &account), ("wrong", &KeyPair::new_account())] {
            let creds = format!(
                "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{}\n\
                 ------END USER NKEY SEED------\n",
                jwt(issuer, &user, &of_user),
                user.seed().expect("a seed")
            );
            fs::write(dir.join(format!("{name}.creds")), creds).expect("written");
        }
    };
    let Some(broker) = Broker::start_as(TempDir::new().expect("a directory"), configure) else { return };
    let file = |name: &str| broker.dir.path().join(name).to_str().expect("plain").to_owned();
    let arena = Arena::new(&field("rounds = 1", 1));
    let refused = arena.output(&["workers", "--nats", &broker.url(), "--creds", &file("wrong.creds")]);
    let stderr = text(&refused.stderr);
    assert!(refused.status.code() == Some(1) && stderr.contains("check --nkey and --creds"), "{stderr}");
    let right = file("right.creds");
    let run = broker.coordinate_with(&arena, &["--slots", "0", "--creds", &right]);
    let _worker = Arena::started(broker.worker_command(&arena, "one").args(["--creds", &right]));
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
}
