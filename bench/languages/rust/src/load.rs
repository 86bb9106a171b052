//! The load generator, one thread: each user repeats a list of HTTP requests over its own connection, one at a time. The plan
//! arrives as JSON on stdin, the figures go as JSON to stdout.

use std::{
    collections::HashMap,
    fs,
    io::{ErrorKind, Read, Write, stdin},
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token};
use serde::Deserialize;
use serde_json::json;

use crate::Failure;

#[derive(Deserialize)]
struct Plan {
    port: u16,
    users: usize,
    /// Milliseconds of load before the measurement.
    lead_ms: u64,
    /// Milliseconds of the measurement.
    ms: u64,
    /// Sent by each user: once at the start, repeatedly, and once at the end.
    opening: Vec<Step>,
    each: Vec<Step>,
    closing: Vec<Step>,
}

/// One request as text, with placeholders: `{{id}}` (seven digits), `{{user}}` (five digits), `{{session}}` (the whole line of the
/// session header, or nothing without a session).
#[derive(Deserialize)]
struct Step {
    text: String,
    statuses: Vec<u16>,
    /// Text that the body must contain; it may have the placeholder `{{user}}`.
    expect: Option<String>,
    /// Skipped if the server has given no session.
    #[serde(default)]
    in_session: bool,
}

enum Piece {
    Text(Vec<u8>),
    Id,
    User,
    Session,
}

struct Request {
    pieces: Vec<Piece>,
    statuses: Vec<u16>,
    expect: Vec<Vec<u8>>,
    in_session: bool,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((at, length, hole)) = [("{{id}}", Piece::Id), ("{{user}}", Piece::User), ("{{session}}", Piece::Session)]
        .into_iter()
        .filter_map(|(mark, hole)| rest.find(mark).map(|at| (at, mark.len(), hole)))
        .min_by_key(|(at, ..)| *at)
    {
        out.push(Piece::Text(rest.as_bytes()[..at].to_vec()));
        out.push(hole);
        rest = &rest[at + length..];
    }
    out.push(Piece::Text(rest.as_bytes().to_vec()));
    out
}

fn requests(steps: &[Step], users: usize) -> Vec<Request> {
    let one = |step: &Step| Request {
        pieces: pieces(&step.text),
        statuses: step.statuses.clone(),
        expect: step.expect.iter().flat_map(|text| (0..users).map(|user| text.replace("{{user}}", &format!("{user:05}")).into_bytes())).collect(),
        in_session: step.in_session,
    };
    steps.iter().map(one).collect()
}

#[derive(Default)]
struct Answer {
    status: u16,
    session: Option<Vec<u8>>,
    closes: bool,
    body: Vec<u8>,
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// The response at the start of `input` once it is complete, with its length.
fn answer(input: &[u8]) -> Result<Option<(Answer, usize)>, Failure> {
    let Some(end) = find(input, b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&input[..end])?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.get(9..12)).unwrap_or_default().parse()?;
    let mut out = Answer { status, ..Answer::default() };
    let mut length = 0;
    let mut chunked = false;
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse()?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            chunked = value.eq_ignore_ascii_case("chunked");
        } else if name.eq_ignore_ascii_case("mcp-session-id") {
            out.session = Some(format!("mcp-session-id: {value}\r\n").into_bytes());
        } else if name.eq_ignore_ascii_case("connection") {
            out.closes = value.eq_ignore_ascii_case("close");
        }
    }
    let mut at = end + 4;
    if !chunked {
        if input.len() < at + length {
            return Ok(None);
        }
        out.body.extend_from_slice(&input[at..at + length]);
        return Ok(Some((out, at + length)));
    }
    loop {
        let Some(line) = find(&input[at..], b"\r\n") else { return Ok(None) };
        let size = usize::from_str_radix(std::str::from_utf8(&input[at..at + line])?.trim(), 16)?;
        let from = at + line + 2;
        if input.len() < from + size + 2 {
            return Ok(None);
        }
        out.body.extend_from_slice(&input[from..from + size]);
        at = from + size + 2;
        if size == 0 {
            return Ok(Some((out, at)));
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Opening,
    Each,
    Closing,
    Done,
}

struct User {
    number: usize,
    stream: mio::net::TcpStream,
    session: Vec<u8>,
    phase: Phase,
    step: usize,
    began: Instant,
    input: Vec<u8>,
    output: Vec<u8>,
}

struct Load {
    port: u16,
    poll: Poll,
    opening: Vec<Request>,
    each: Vec<Request>,
    closing: Vec<Request>,
    next_id: u64,
    from: Instant,
    until: Instant,
    /// Of each repetition that ended during the measurement.
    micros: Vec<u32>,
    /// All repetitions, including those outside the measurement.
    all: u64,
    errors: u64,
    reason: Option<String>,
}

/// Seconds of processor time that this process has used; none without /proc.
fn processor_seconds() -> Option<f64> {
    let nanoseconds: f64 = fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

impl Load {
    fn connect(&self, number: usize) -> Result<mio::net::TcpStream, Failure> {
        let stream = std::net::TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = mio::net::TcpStream::from_std(stream);
        self.poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
        Ok(stream)
    }

    fn steps(&self, phase: Phase) -> &[Request] {
        match phase {
            Phase::Opening => &self.opening,
            Phase::Each => &self.each,
            Phase::Closing => &self.closing,
            Phase::Done => &[],
        }
    }

    /// Sends the next request of this user.
    fn send(&mut self, user: &mut User) -> Result<(), Failure> {
        loop {
            if user.phase == Phase::Done {
                return Ok(());
            }
            match self.steps(user.phase).get(user.step) {
                Some(request) if request.in_session && user.session.is_empty() => user.step += 1,
                Some(_) => break,
                None => self.finished(user),
            }
        }
        if user.step == 0 {
            user.began = Instant::now();
        }
        user.output.clear();
        let request = &self.steps(user.phase)[user.step];
        for piece in &request.pieces {
            match piece {
                Piece::Text(text) => user.output.extend_from_slice(text),
                Piece::Id => write!(user.output, "{:07}", self.next_id)?,
                Piece::User => write!(user.output, "{:05}", user.number)?,
                Piece::Session => user.output.extend_from_slice(&user.session),
            }
        }
        self.next_id += 1;
        // A request is far smaller than the socket buffer, which carries one at a time.
        user.stream.write_all(&user.output)?;
        Ok(())
    }

    fn finished(&mut self, user: &mut User) {
        let now = Instant::now();
        user.step = 0;
        if user.phase == Phase::Each {
            self.all += 1;
        }
        if user.phase == Phase::Each && now >= self.from && now < self.until {
            self.micros.push(now.duration_since(user.began).as_micros() as u32);
        }
        user.phase = match user.phase {
            Phase::Opening | Phase::Each if now < self.until => Phase::Each,
            Phase::Opening | Phase::Each => Phase::Closing,
            _ => Phase::Done,
        };
    }

    fn failed(&mut self, reason: String) {
        self.errors += 1;
        self.reason.get_or_insert(reason);
    }

    fn judge(&mut self, user: &mut User, given: &Answer) {
        let request = &self.steps(user.phase)[user.step];
        let expected = if request.expect.len() > 1 { request.expect.get(user.number) } else { request.expect.first() };
        let good = request.statuses.contains(&given.status) && expected.is_none_or(|text| find(&given.body, text).is_some());
        if !good {
            let body: String = String::from_utf8_lossy(&given.body).chars().take(200).collect();
            self.failed(format!("status {}, {body}", given.status));
        }
    }

    /// Reads a user's socket: checks the response and sends the next request.
    fn readable(&mut self, user: &mut User, buffer: &mut [u8]) -> Result<(), Failure> {
        loop {
            let count = match user.stream.read(buffer) {
                Ok(0) => return Err("the server closed a connection".into()),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            user.input.extend_from_slice(&buffer[..count]);
            if let Some((given, length)) = answer(&user.input)? {
                user.input.drain(..length);
                self.judge(user, &given);
                if let Some(session) = given.session {
                    user.session = session;
                }
                user.step += 1;
                if given.closes {
                    user.stream = self.connect(user.number)?;
                }
                self.send(user)?;
            }
            // A read that does not fill the buffer has emptied the socket.
            if count < buffer.len() {
                return Ok(());
            }
        }
    }
}

pub fn run() -> Result<(), Failure> {
    let plan: Plan = serde_json::from_reader(stdin())?;
    let from = Instant::now() + Duration::from_millis(plan.lead_ms);
    let until = from + Duration::from_millis(plan.ms);
    let mut load = Load {
        port: plan.port,
        poll: Poll::new()?,
        opening: requests(&plan.opening, plan.users),
        each: requests(&plan.each, plan.users),
        closing: requests(&plan.closing, plan.users),
        next_id: 1_000_000,
        from,
        until,
        micros: Vec::with_capacity(1 << 18),
        all: 0,
        errors: 0,
        reason: None,
    };
    let mut users = HashMap::new();
    for number in 0..plan.users {
        let stream = load.connect(number)?;
        let mut user = User {
            number, stream, session: Vec::new(), phase: Phase::Opening, step: 0, began: Instant::now(),
            input: Vec::with_capacity(1 << 14), output: Vec::with_capacity(1 << 12),
        };
        load.send(&mut user)?;
        users.insert(number, user);
    }
    let mut events = Events::with_capacity(256);
    let mut buffer = vec![0; 1 << 16];
    let mut processor = None;
    let mut spent = None;
    // Waits for requests in flight at the end, for a limited time.
    let patience = until + Duration::from_secs(5);
    while users.values().any(|user| user.phase != Phase::Done) && Instant::now() < patience && load.errors < 10_000 {
        load.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
        for event in &events {
            let Some(user) = users.get_mut(&event.token().0) else { continue };
            if let Err(error) = load.readable(user, &mut buffer) {
                if user.phase == Phase::Done {
                    continue;
                }
                load.failed(error.to_string());
                *user = User { stream: load.connect(user.number)?, session: Vec::new(), phase: Phase::Opening, step: 0, input: Vec::new(), output: Vec::new(), ..*user };
                load.send(user)?;
            }
        }
        let now = Instant::now();
        if processor.is_none() && now >= from {
            processor = processor_seconds();
        }
        if spent.is_none() && now >= until {
            spent = processor_seconds().zip(processor).map(|(end, start)| (end - start) / (plan.ms as f64 / 1000.0));
        }
    }
    load.micros.sort_unstable();
    let at = |share: f64| load.micros.get((load.micros.len() as f64 * share) as usize).map(|micros| f64::from(*micros) / 1000.0);
    let unfinished = users.values().filter(|user| user.phase != Phase::Done).count();
    println!("{}", json!({
        "all": load.all, "perSecond": load.micros.len() as f64 / (plan.ms as f64 / 1000.0), "p50": at(0.5), "p99": at(0.99),
        "errors": load.errors, "reason": load.reason, "unfinished": unfinished, "driver": spent,
    }));
    Ok(())
}
