//! The HTTP service behind the tool `product`: `GET /products/<id>` answers one product as JSON.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, StatusCode, body::Incoming, header, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::Failure;

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut response = Response::builder();
    let body = match request.uri().path().strip_prefix("/products/") {
        Some(id) if id.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            response = response.header(header::CONTENT_TYPE, "application/json");
            let text = "A product of the catalogue, described in one sentence of the usual length.";
            format!(r#"{{"id":"{id}","name":"Product {id}","price":1942,"currency":"EUR","stock":17,"description":"{text}"}}"#)
        }
        _ => {
            response = response.status(StatusCode::NOT_FOUND);
            String::new()
        }
    };
    Ok(response.body(Full::new(Bytes::from(body))).expect("a response"))
}

pub async fn serve(listener: TcpListener) -> Result<(), Failure> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)));
    }
}
