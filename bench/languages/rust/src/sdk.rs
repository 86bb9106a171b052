//! The official SDK for Rust in axum, as in its documentation; sockets without Nagle's delay, as in the others.

use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::RequestContext,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use serde_json::json;
use tokio::net::TcpListener;

use crate::{Failure, tools::Tools};

#[derive(Clone)]
struct Server {
    tools: Tools,
    list: Arc<Vec<Tool>>,
}

fn described(name: &'static str, description: &'static str, argument: &str) -> Tool {
    let schema = json!({ "type": "object", "properties": { argument: { "type": "string" } }, "required": [argument] });
    Tool::new(name, description, Arc::new(schema.as_object().expect("an object").clone()))
}

impl Server {
    fn new(tools: Tools) -> Self {
        let list = vec![
            described("echo", "Returns its text", "text"),
            described("cart", "What is in a user's cart", "user"),
            described("product", "One product of the catalogue", "id"),
        ];
        Self { tools, list: Arc::new(list) }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self, _request: Option<PaginatedRequestParams>, _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.list.to_vec()))
    }

    async fn call_tool(
        &self, request: CallToolRequestParams, _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument = |name: &str| match arguments.get(name).and_then(|value| value.as_str()) {
            Some(value) => Ok(value),
            None => Err(ErrorData::invalid_params(format!("{name}: expected a string"), None)),
        };
        let text = match &*request.name {
            "echo" => Ok(argument("text")?.to_owned()),
            "cart" => self.tools.cart(argument("user")?).await,
            "product" => self.tools.product(argument("id")?).await,
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        };
        let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// `json`: without sessions, each response one JSON body. Otherwise the SDK's default: sessions, and responses as SSE.
pub async fn serve(tools: Tools, listener: TcpListener, json: bool) -> Result<(), Failure> {
    let mut config = StreamableHttpServerConfig::default();
    if json {
        config.legacy_session_mode = false;
        config.json_response = true;
    }
    let server = Server::new(tools);
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(LocalSessionManager::default()), config);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}
