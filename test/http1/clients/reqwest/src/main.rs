//! reqwest as a client of test/http1/clients: the plan is on standard input, see plan.mjs.
use std::{error::Error, fmt::Write as _, io::stdin};

use reqwest::{Client, Method};

fn octets(hex: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    (0..hex.len()).step_by(2).map(|at| Ok(u8::from_str_radix(&hex[at..at + 2], 16)?)).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    let mut session = String::new();
    for line in stdin().lines() {
        let line = line?;
        let parts: Vec<&str> = line.split('\t').collect();
        let mut request = client.request(Method::from_bytes(parts[0].as_bytes())?, parts[1]);
        for field in &parts[2..parts.len() - 1] {
            let (name, value) = field.split_once(": ").ok_or("a field without a value")?;
            request = request.header(name, value.replace("$session", &session));
        }
        let body = octets(parts[parts.len() - 1])?;
        let response = if body.is_empty() { request } else { request.body(body) }.send().await?;
        if let Some(id) = response.headers().get("mcp-session-id") {
            session = id.to_str()?.into();
        }
        let status = response.status().as_u16();
        let mut hex = String::new();
        for one in response.bytes().await? {
            write!(hex, "{one:02x}")?;
        }
        println!("{status}\t{hex}");
    }
    Ok(())
}
