//! Programs in Rust, chosen by the first argument:
//! - `bare`: hyper doing the same work by hand;
//! - `rmcp`: the official SDK as documented (sessions, answers as SSE);
//! - `rmcp-json`: the same without sessions and with `json_response`;
//! - `catalogue`: the HTTP service that the tool `product` calls;
//! - `load`: the load generator.
//!
//! A second argument `one` runs a server on one thread.

mod bare;
mod catalogue;
mod load;
mod sdk;
mod tools;

use std::{env, error::Error, process};

use tokio::{io::AsyncReadExt, net::TcpListener, runtime::Builder};

pub type Failure = Box<dyn Error + Send + Sync>;

/// Listens on a free port, prints it on stdout, and ends the process when stdin ends.
async fn listen() -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("port {}", listener.local_addr()?.port());
    tokio::spawn(async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
        process::exit(0);
    });
    Ok(listener)
}

async fn serve(kind: &str) -> Result<(), Failure> {
    match kind {
        "bare" => bare::serve(tools::Tools::connect().await?, listen().await?).await,
        "rmcp" => sdk::serve(tools::Tools::connect().await?, listen().await?, false).await,
        "rmcp-json" => sdk::serve(tools::Tools::connect().await?, listen().await?, true).await,
        "catalogue" => catalogue::serve(listen().await?).await,
        _ => Err(format!("no program {kind}; there are bare, rmcp, rmcp-json, catalogue, load").into()),
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let kind = arguments.first().map_or("", String::as_str);
    if kind == "load" {
        return load::run();
    }
    let mut builder = match arguments.get(1).map(String::as_str) {
        Some("one") => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.enable_all().build()?.block_on(serve(kind))
}
