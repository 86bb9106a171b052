//! rmcp as a peer, with the features of both roles.
//!
//!   peers serve stdio | http               a server; http prints its port on stdout
//!   peers call REVISION URL                a client over HTTP; prints its results as JSON
//!   peers call REVISION -- COMMAND ...     a client over standard streams

// Sampling and roots are deprecated, but still used here.
#![allow(deprecated)]

use std::{
    error::Error,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::{NotificationContext, RequestContext, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, stdio,
        streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
    },
};
use serde_json::{Map, Value, from_value, json};
use tokio::{io::AsyncReadExt, net::TcpListener, process::Command, time::sleep};

type Failure = Box<dyn Error + Send + Sync>;

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

/// Converts JSON to a type of rmcp.
fn typed<T: serde::de::DeserializeOwned>(value: Value) -> T {
    from_value(value).expect("a value of this type")
}

fn question() -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    json!({ "mode": "form", "message": "Your name?", "requestedSchema": schema })
}

#[derive(Clone)]
struct Server;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().enable_completions().build())
    }

    async fn list_tools(&self, _request: Option<PaginatedRequestParams>, _context: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        let number = json!({ "type": "number" });
        let two = Arc::new(object(json!({ "type": "object", "properties": { "a": number, "b": number } })));
        let none = Arc::new(object(json!({ "type": "object" })));
        let mut tools = vec![Tool::new("add", "", two)];
        tools.extend(["fail", "steps", "ask", "wait"].map(|name| Tool::new(name, "", none.clone())));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.clone().unwrap_or_default();
        match request.name.as_ref() {
            "add" => {
                let number = |name: &str| arguments.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
                Ok(CallToolResult::structured(json!({ "sum": number("a") + number("b") })).into())
            }
            "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("out of flour")]).into()),
            "steps" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for step in 1..=3 {
                        let params = typed(json!({ "progressToken": token, "progress": f64::from(step), "total": 3.0 }));
                        let _ = context.peer.notify_progress(params).await;
                    }
                }
                Ok(text("done"))
            }
            "ask" => {
                let answers = request.input_responses.as_ref().map(|answers| json!(answers)).unwrap_or_default();
                let answer = match answers.get("name") {
                    Some(answer) => answer.clone(),
                    None if self.is_modern(&context) => {
                        let asked = json!({ "resultType": "input_required", "inputRequests": { "name": { "method": "elicitation/create", "params": question() } } });
                        return Ok(CallToolResponse::InputRequired(typed(asked)));
                    }
                    None => json!(context.peer.create_elicitation(typed(question())).await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?),
                };
                Ok(text(format!("{} {}", answer["action"].as_str().unwrap_or(""), answer["content"]["name"].as_str().unwrap_or(""))))
            }
            "wait" => {
                context.ct.cancelled().await;
                Ok(text("cancelled"))
            }
            _ => Err(ErrorData::invalid_params("no such tool", None)),
        }
    }

    async fn list_resource_templates(&self, _request: Option<PaginatedRequestParams>, _context: RequestContext<RoleServer>) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(typed(json!({ "resourceTemplates": [{ "uriTemplate": "trips://city/{name}", "name": "city" }] })))
    }

    async fn read_resource(&self, request: ReadResourceRequestParams, _context: RequestContext<RoleServer>) -> Result<ReadResourceResponse, ErrorData> {
        if !request.uri.starts_with("trips://city/") {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        let contents: ReadResourceResult = typed(json!({ "contents": [{ "uri": request.uri, "text": format!("text of {}", request.uri) }] }));
        Ok(contents.into())
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _context: RequestContext<RoleServer>) -> Result<GetPromptResponse, ErrorData> {
        let city = request.arguments.and_then(|given| given.get("city").cloned()).map(|city| json!(city)).unwrap_or_default();
        let message = json!({ "role": "user", "content": { "type": "text", "text": format!("Plan {}", city.as_str().unwrap_or("")) } });
        let prompt: GetPromptResult = typed(json!({ "messages": [message] }));
        Ok(prompt.into())
    }

    async fn complete(&self, request: CompleteRequestParams, _context: RequestContext<RoleServer>) -> Result<CompleteResult, ErrorData> {
        let found: Vec<&str> = ["Rome", "Riga", "Oslo"].into_iter().filter(|name| name.starts_with(&request.argument.value)).collect();
        Ok(typed(json!({ "completion": { "values": found } })))
    }
}

impl Server {
    fn is_modern(&self, context: &RequestContext<RoleServer>) -> bool {
        json!(context.meta).get("io.modelcontextprotocol/protocolVersion").is_some_and(|version| version == "2026-07-28")
    }
}

#[derive(Clone, Default)]
struct Client {
    progress: Arc<Mutex<Vec<f64>>>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().enable_sampling().enable_roots().build();
        ClientConfig::new(capabilities, Implementation::new("rmcp", "3"))
    }

    async fn create_elicitation(&self, _request: ElicitRequestParams, _context: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        Ok(typed(json!({ "action": "accept", "content": { "name": "Ada" } })))
    }

    async fn create_message(&self, _request: CreateMessageRequestParams, _context: RequestContext<RoleClient>) -> Result<CreateMessageResult, ErrorData> {
        Ok(typed(json!({ "role": "assistant", "model": "none", "content": { "type": "text", "text": "42" } })))
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(typed(json!({ "roots": [{ "uri": "file:///work", "name": "work" }] })))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.progress.lock().expect("a list").push(params.progress);
    }
}

async fn look(client: RunningService<RoleClient, Client>, revision: &str, progress: Arc<Mutex<Vec<f64>>>) -> Result<Value, Failure> {
    let peer = client.peer();
    let tool = async |name: &'static str, arguments: Value| -> Result<Value, Failure> {
        let result = client.call_tool(CallToolRequestParams::new(name).with_arguments(object(arguments))).await?;
        Ok(json!(result))
    };
    let said = |result: &Value| result["content"][0]["text"].clone();
    let tools = json!(peer.list_all_tools().await?);
    let names: Vec<&Value> = tools.as_array().expect("a list").iter().map(|tool| &tool["name"]).collect();
    let add = tool("add", json!({ "a": 1, "b": 2 })).await?;
    let failed = tool("fail", json!({})).await?;
    let steps = tool("steps", json!({})).await?;
    let ask = tool("ask", json!({})).await?;
    let sample = tool("sample", json!({})).await?;
    let roots = tool("roots", json!({})).await?;
    let resource = json!(client.read_resource(typed(json!({ "uri": "trips://city/Rome" }))).await?);
    let prompt = json!(client.get_prompt(typed(json!({ "name": "plan", "arguments": { "city": "Rome" } }))).await?);
    let completed = json!(peer.complete_prompt_simple("plan", "city", "R").await?);
    let wait = tokio::time::timeout(Duration::from_millis(300), tool("wait", json!({}))).await;
    sleep(Duration::from_millis(50)).await;
    let seen = json!({
        "revision": revision,
        "tools": names, "add": add["structuredContent"], "fail": [failed["isError"], said(&failed)],
        "steps": said(&steps), "ask": said(&ask), "sample": said(&sample), "roots": said(&roots),
        "resource": resource["contents"][0]["text"], "prompt": prompt["messages"][0]["content"]["text"],
        "complete": completed, "cancelled": wait.is_err(), "progress": *progress.lock().expect("a list"),
    });
    client.cancel().await?;
    Ok(seen)
}

async fn call(revision: &str, target: &[String]) -> Result<(), Failure> {
    let mode = match revision {
        "2026-07-28" => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        _ => ClientLifecycleMode::Initialize,
    };
    let handler = Client::default();
    let progress = handler.progress.clone();
    let client = if target[0] == "--" {
        let mut command = Command::new(&target[1]);
        command.args(&target[2..]);
        handler.serve_with_lifecycle(TokioChildProcess::new(command)?, mode).await?
    } else {
        handler.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(target[0].as_str()), mode).await?
    };
    println!("{}", look(client, revision, progress).await?);
    Ok(())
}

async fn serve(kind: &str) -> Result<(), Failure> {
    if kind == "stdio" {
        Server.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("port {}", listener.local_addr()?.port());
    tokio::spawn(async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
        std::process::exit(0);
    });
    let service = StreamableHttpService::new(|| Ok(Server), Arc::new(LocalSessionManager::default()), StreamableHttpServerConfig::default());
    axum::serve(listener, axum::Router::new().fallback_service(service)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("serve") => serve(&arguments[1]).await,
        _ => call(&arguments[1], &arguments[2..]).await,
    }
}
