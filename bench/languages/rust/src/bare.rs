//! The upper bound in Rust: hyper reads the body, serde_json parses and writes, and nothing else.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, Response, StatusCode, body::Incoming, header, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use tokio::net::TcpListener;

use crate::{Failure, tools::Tools};

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(default)]
    params: Params,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Params {
    name: String,
    arguments: Arguments,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Arguments {
    text: String,
    user: String,
    id: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: serde_json::Value,
}

async fn answer(tools: Tools, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let plain = |status| Ok(Response::builder().status(status).body(Full::default()).expect("a response"));
    if request.method() == Method::DELETE {
        return plain(StatusCode::OK);
    }
    let modern = request.headers().get("mcp-protocol-version").is_some_and(|value| value == "2026-07-28");
    let Ok(body) = request.into_body().collect().await else { return plain(StatusCode::BAD_REQUEST) };
    let body = body.to_bytes();
    let Ok(message) = serde_json::from_slice::<Message>(&body) else { return plain(StatusCode::BAD_REQUEST) };
    let Some(id) = message.id else { return plain(StatusCode::ACCEPTED) };
    let mut response = Response::builder().header(header::CONTENT_TYPE, "application/json");
    let result = if message.method == "initialize" {
        response = response.header("mcp-session-id", "00000000-0000-4000-8000-000000000000");
        json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": "bare", "version": "1.0.0" } })
    } else {
        let Params { name, arguments } = message.params;
        let text = match name.as_str() {
            "cart" => tools.cart(&arguments.user).await,
            "product" => tools.product(&arguments.id).await,
            _ => Ok(arguments.text),
        };
        let Ok(text) = text else { return plain(StatusCode::BAD_GATEWAY) };
        let content = json!([{ "type": "text", "text": text }]);
        if modern { json!({ "resultType": "complete", "content": content }) } else { json!({ "content": content }) }
    };
    let text = serde_json::to_vec(&Answer { jsonrpc: "2.0", id, result }).expect("an answer");
    Ok(response.body(Full::new(Bytes::from(text))).expect("a response"))
}

pub async fn serve(tools: Tools, listener: TcpListener) -> Result<(), Failure> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let tools = tools.clone();
        let service = service_fn(move |request| answer(tools.clone(), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
