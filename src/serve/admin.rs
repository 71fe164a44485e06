//! What operators see, at an address of their own: `/metrics`.
//!
//! Runs on the control thread, so it answers also when all workers are stuck.

use super::config::Config;
use super::headers::{Caching, answer};
use super::metrics;
use super::origin::Origin;
use super::problem::Problem;
use super::reply::{Reply, Sending};
use actix_http::body::BoxBody;
use actix_http::header::{self, HeaderValue};
use actix_http::{HttpService, Method, Protocol, Request, RequestHead, Response, StatusCode};
use actix_service::{Service, ServiceFactory, fn_service};
use actix_web::rt;
use actix_web::rt::net::TcpStream;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Connections at a time: a few Prometheus servers and a person. More wait.
const MAX_CONNECTIONS: usize = 64;

/// How long the system's refusal to accept a connection is left alone; it lacks descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers connections until the thread ends.
pub(super) async fn serve(origin: Arc<Origin>, listener: TcpListener) {
    let listener = listener.set_nonblocking(true).and_then(|()| rt::net::TcpListener::from_std(listener));
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "nobody answers at the admin address"),
    };
    let Config { request_timeout, keep_alive, .. } = origin.config;
    let answers = fn_service(move |request: Request| {
        let origin = Arc::clone(&origin);
        async move {
            let reply = resource(&origin, request.head()).await;
            Ok::<_, Response<BoxBody>>(reply.map_body(|_, bytes| Sending::new(bytes, None)))
        }
    });
    let http = HttpService::build()
        .client_request_timeout(request_timeout)
        .keep_alive(keep_alive)
        .finish::<_, Sending>(answers)
        .new_service(());
    let Ok(http) = http.await.map(Rc::new) else { return };
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let http = Rc::clone(&http);
                rt::spawn(async move {
                    let _until_closed = permit;
                    let stream: TcpStream = stream;
                    let _ = http.call((stream, Protocol::Http1, Some(peer))).await;
                });
            }
            Err(_) => rt::time::sleep(PAUSE).await,
        }
    }
}

async fn resource(origin: &Origin, request: &RequestHead) -> Reply {
    if request.method != Method::GET && request.method != Method::HEAD {
        return Problem::Method.response();
    }
    if request.uri.path() != "/metrics" {
        return Problem::UnknownPath.response();
    }
    let mut response = answer(StatusCode::OK, Caching::NoStore.value(), metrics::text(origin).await.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(metrics::MEDIA_TYPE));
    response
}
