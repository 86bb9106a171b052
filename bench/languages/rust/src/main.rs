//! Servers in Rust: `bare` is hyper doing the same work by hand, `rmcp` the official SDK as documented (sessions, SSE),
//! `rmcp-json` the same without sessions and with `json_response`. A second argument `one` runs on one thread.

use std::{convert::Infallible, error::Error, sync::Arc};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, Response, StatusCode, body::Incoming, header, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::RequestContext,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use tokio::{io::AsyncReadExt, net::TcpListener};

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Clone)]
struct Echo {
    tools: Arc<Vec<Tool>>,
}

impl Echo {
    fn new() -> Self {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
        let schema = Arc::new(schema.as_object().expect("an object").clone());
        Self { tools: Arc::new(vec![Tool::new("echo", "Returns its text", schema)]) }
    }
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self, _request: Option<PaginatedRequestParams>, _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self, request: CallToolRequestParams, _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let Some(text) = arguments.get("text").and_then(|text| text.as_str()) else {
            return Err(ErrorData::invalid_params("text: expected a string", None));
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text.to_owned())]).into())
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(default)]
    params: Params,
}

#[derive(Deserialize, Default)]
struct Params {
    #[serde(default)]
    arguments: Arguments,
}

#[derive(Deserialize, Default)]
struct Arguments {
    #[serde(default)]
    text: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: serde_json::Value,
}

async fn bare(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
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
        let content = json!([{ "type": "text", "text": message.params.arguments.text }]);
        if modern { json!({ "resultType": "complete", "content": content }) } else { json!({ "content": content }) }
    };
    let text = serde_json::to_vec(&Answer { jsonrpc: "2.0", id, result }).expect("an answer");
    Ok(response.body(Full::new(Bytes::from(text))).expect("a response"))
}

async fn serve(kind: &str) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("port {}", listener.local_addr()?.port());
    tokio::spawn(async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
        std::process::exit(0);
    });
    if kind == "bare" {
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(bare)));
        }
    }
    let mut config = StreamableHttpServerConfig::default();
    if kind == "rmcp-json" {
        config.legacy_session_mode = false;
        config.json_response = true;
    }
    let echo = Echo::new();
    let service = StreamableHttpService::new(move || Ok(echo.clone()), Arc::new(LocalSessionManager::default()), config);
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let mut builder = match arguments.get(2).map(String::as_str) {
        Some("one") => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.enable_all().build()?.block_on(serve(&arguments[1]))
}
