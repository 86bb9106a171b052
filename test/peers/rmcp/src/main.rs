//! The tasks of 2026-07-28 in rmcp, both roles, over standard streams.
//!
//!   rmcp-tasks serve                       a server whose tools are tasks
//!   rmcp-tasks call COMMAND [ARGUMENT...]  a client of the server that this command starts; prints its results as JSON

use std::{error::Error, sync::Arc, time::Duration};

use rmcp::{
    ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::{Peer, RequestContext, ServiceError},
    task_manager::{TaskExit, TaskManager, TaskOptions},
    transport::{TokioChildProcess, stdio},
};
use serde_json::{Map, Value, json};
use tokio::{process::Command, time::sleep};

type Failure = Box<dyn Error + Send + Sync>;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text.into())])
}

struct Server {
    tasks: TaskManager,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
    }

    async fn list_tools(
        &self, _request: Option<PaginatedRequestParams>, _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(object(json!({ "type": "object" })));
        let named = |name: &'static str| Tool::new(name, "", schema.clone());
        Ok(ListToolsResult::with_all_items(["double", "greet", "broken", "reports", "endless"].map(named).to_vec()))
    }

    async fn call_tool(
        &self, request: CallToolRequestParams, _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name.to_string();
        let options = TaskOptions::default().with_poll_interval_ms(100);
        let task = self.tasks.spawn(options, move |task| {
            Box::pin(async move {
                match name.as_str() {
                    "double" => {
                        task.set_status_message("1 of 2: under way");
                        sleep(Duration::from_millis(250)).await;
                        Ok(text(format!("{}", 2 * arguments["n"].as_i64().unwrap_or(0))))
                    }
                    "greet" => {
                        let question: InputRequest = serde_json::from_value(json!({
                            "method": "elicitation/create",
                            "params": {
                                "mode": "form", "message": "Name?",
                                "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } },
                            },
                        })).expect("a question");
                        let answer = task.request_input("name", question).await?;
                        Ok(text(format!("Hello, {}!", answer["content"]["name"].as_str().unwrap_or("nobody"))))
                    }
                    "broken" => Err(TaskExit::Error(ErrorData::new(ErrorCode(4711), "no flour", Some(json!({ "oven": 1 }))))),
                    "reports" => Ok(CallToolResult::error(vec![ContentBlock::text("burnt")])),
                    "endless" => {
                        task.cancelled().await;
                        Err(TaskExit::Cancelled)
                    }
                    _ => Err(TaskExit::Error(ErrorData::invalid_params("no such tool", None))),
                }
            })
        });
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    async fn get_task(&self, request: GetTaskParams, _context: RequestContext<RoleServer>) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(&self, request: UpdateTaskParams, _context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }
}

/// Follows a task to its end, and gives `answer` to each of its questions. Returns the last state with each status before it.
async fn follow(peer: &Peer<RoleClient>, id: &str, answer: &Value) -> Result<Value, ServiceError> {
    let mut statuses: Vec<Value> = Vec::new();
    loop {
        let task = serde_json::to_value(peer.get_task(GetTaskParams::new(id)).await?.task).expect("a task");
        let status = task["status"].clone();
        if statuses.last() != Some(&status) {
            statuses.push(status.clone());
        }
        match status.as_str() {
            Some("completed" | "failed" | "cancelled") => return Ok(json!({ "statuses": statuses, "task": task })),
            Some("input_required") => {
                let asked = task["inputRequests"].as_object().cloned().unwrap_or_default();
                let answers = asked.into_iter().map(|(key, _)| (key, answer.clone())).collect();
                peer.update_task(UpdateTaskParams::new(id, answers)).await?;
            }
            _ => {}
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// Calls a tool; if `cancel`, cancels its task at once.
async fn call(peer: &Peer<RoleClient>, name: &'static str, arguments: Value, cancel: bool) -> Result<Value, ServiceError> {
    let request = CallToolRequestParams::new(name).with_arguments(object(arguments));
    match peer.call_tool_once(request).await? {
        CallToolResponse::Task(created) => {
            let id = created.task.task_id;
            if cancel {
                peer.cancel_task(CancelTaskParams::new(id.clone())).await?;
            }
            follow(peer, &id, &json!({ "action": "accept", "content": { "confirm": true } })).await
        }
        CallToolResponse::Complete(result) => Ok(json!({ "complete": result })),
        _ => Ok(json!("something else")),
    }
}

fn said(outcome: Result<Value, ServiceError>) -> Value {
    match outcome {
        Ok(value) => value,
        Err(ServiceError::McpError(error)) => json!({ "error": error }),
        Err(error) => json!({ "failure": error.to_string() }),
    }
}

async fn client(command: Command, capabilities: ClientCapabilities) -> Result<Value, Failure> {
    let transport = TokioChildProcess::new(command)?;
    let mode = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let info = ClientConfig::new(capabilities, Implementation::new("rmcp", "3"));
    let client = info.serve_with_lifecycle(transport, mode).await?;
    let peer = client.peer();
    let seen = json!({
        "plain": said(call(peer, "plain", json!({}), false).await),
        "slow": said(call(peer, "slow", json!({}), false).await),
        "asks": said(call(peer, "asks", json!({}), false).await),
        "reports": said(call(peer, "reports", json!({}), false).await),
        "breaks": said(call(peer, "breaks", json!({}), false).await),
        "endless": said(call(peer, "endless", json!({}), true).await),
        "unknown": said(peer.get_task(GetTaskParams::new("none")).await.map(|task| json!(task))),
    });
    client.cancel().await?;
    Ok(seen)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("serve") => {
            Server { tasks: TaskManager::new() }.serve(stdio()).await?.waiting().await?;
        }
        Some("call") => {
            let program = arguments.next().ok_or("no command")?;
            let rest: Vec<String> = arguments.collect();
            let server = || {
                let mut command = Command::new(&program);
                command.args(&rest);
                command
            };
            let with = client(server(), ClientCapabilities::builder().enable_tasks().enable_elicitation().build()).await?;
            let without = client(server(), ClientCapabilities::default()).await?;
            println!("{}", json!({ "with": with, "without": without }));
        }
        _ => return Err("rmcp-tasks serve | rmcp-tasks call COMMAND [ARGUMENT...]".into()),
    }
    Ok(())
}
