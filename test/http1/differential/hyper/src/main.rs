//! hyper as a peer of test/http1/differential: `server` answers each request with what it has read, `client` asks for each
//! line "METHOD URL" of its standard input twice, over one connection where that goes, and says what it has read.
use std::{convert::Infallible, env, fmt::Write as _, time::Duration};

use http_body_util::{BodyExt, Empty, Full};
use hyper::{Request, Response, StatusCode, body::{Bytes, Incoming}, server::conn::http1, service::service_fn};
use hyper_util::{client::legacy::{Client, connect::HttpConnector}, rt::{TokioExecutor, TokioIo, TokioTimer}};
use tokio::{io::{AsyncBufReadExt, BufReader, stdin}, net::TcpListener, time::timeout};

/// A JSON string of octets, one character each.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &one in bytes {
        match one {
            b'"' | b'\\' => { text.push('\\'); text.push(char::from(one)); }
            0..0x20 => { let _ = write!(text, "\\u{one:04x}"); }
            _ => text.push(char::from(one)),
        }
    }
    text.push('"');
    text
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    Ok(match body.collect().await {
        Ok(body) => Response::new(Full::new(Bytes::from(format!(
            "{{\"method\":{},\"path\":{},\"body\":{}}}",
            quoted(head.method.as_str().as_bytes()), quoted(head.uri.path().as_bytes()), quoted(&body.to_bytes()),
        )))),
        Err(_) => {
            let mut refused = Response::new(Full::default());
            *refused.status_mut() = StatusCode::BAD_REQUEST;
            refused
        }
    })
}

async fn server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        // A half-closed client gets its answers: the end is what the comparison waits for.
        tokio::spawn(http1::Builder::new().half_close(true).timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service_fn(answer)));
    }
}

async fn ask(client: &Client<HttpConnector, Empty<Bytes>>, method: &str, url: &str) -> Option<String> {
    let request = Request::builder().method(method).uri(url).body(Empty::new()).ok()?;
    let response = client.request(request).await.ok()?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.ok()?.to_bytes();
    Some(format!("{status} {}", quoted(&body)))
}

async fn client() {
    let mut lines = BufReader::new(stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let (method, url) = line.split_once(' ').unwrap();
        let client = Client::builder(TokioExecutor::new()).build_http();
        let mut said = Vec::new();
        for method in [method, "GET"] {
            // A client that waits for more has read something else than one that refuses.
            said.push(match timeout(Duration::from_secs(2), ask(&client, method, url)).await {
                Ok(found) => found.unwrap_or_else(|| "refused".into()),
                Err(_) => "waits".into(),
            });
        }
        println!("{}", said.join("\t"));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if env::args().nth(1).as_deref() == Some("client") { client().await } else { server().await }
}
