//! Listening, running, stopping: the only file that knows how the HTTP library is driven.

use super::config::Config;
use super::error::Error;
use super::origin::Origin;
use actix_web::dev::{ServiceRequest, ServiceResponse, fn_factory, fn_service};
use actix_web::rt;
use actix_web::{App, HttpServer};
use socket2::{Domain, Socket, Type};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// Connections the system may hold before a worker takes them; a page full of maps opens many at once.
const BACKLOG: i32 = 4096;

/// An origin that has its store open and its address taken, but answers nobody yet.
pub struct Server {
    origin: Arc<Origin>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Checks the settings, opens the store, takes the address.
    ///
    /// # Errors
    /// When a setting makes no sense, the store cannot be read or the address is taken.
    pub fn bind(config: Config) -> Result<Self, Error> {
        config.validate()?;
        let (listener, address) =
            listen(config.listen).map_err(|source| Error::Listen { address: config.listen, source })?;
        let origin = Arc::new(Origin::open(config)?);
        Ok(Self { origin, listener, address })
    }

    /// Where it listens, with the port that was taken for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` is ready; then lets running requests finish. Blocks.
    ///
    /// # Errors
    /// When the system takes the listener away.
    pub fn run(self, stop: impl Future<Output = ()> + 'static) -> Result<(), Error> {
        let Self { origin, listener, .. } = self;
        let run = async move {
            let server = server(&origin, listener)?;
            let handle = server.handle();
            rt::spawn(async move {
                stop.await;
                tracing::info!("stopping");
                origin.drain();
                handle.stop(true).await;
            });
            server.await
        };
        rt::System::new().block_on(run).map_err(|source| Error::Server { source })
    }
}

/// Ready when the process is asked to stop: SIGTERM, Ctrl-C.
pub async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use rt::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            let mut interrupt = std::pin::pin!(rt::signal::ctrl_c());
            return std::future::poll_fn(|cx| {
                if term.poll_recv(cx).is_ready() {
                    return std::task::Poll::Ready(());
                }
                interrupt.as_mut().poll(cx).map(|_| ())
            })
            .await;
        }
    }
    let _ = rt::signal::ctrl_c().await;
}

fn listen(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // A restarted origin takes its port back at once; on Windows the option would mean more.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    let listener: TcpListener = socket.into();
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn server(origin: &Arc<Origin>, listener: TcpListener) -> std::io::Result<actix_web::dev::Server> {
    let config = &origin.config;
    let (workers, grace) = (config.workers, config.grace.as_secs());
    let (request_timeout, keep_alive) = (config.request_timeout, config.keep_alive);
    let origin = Arc::clone(origin);
    Ok(HttpServer::new(move || {
        let origin = Arc::clone(&origin);
        // One service for every path: the library's router would decode paths before we see them.
        App::new().default_service(fn_factory(move || {
            let origin = Arc::clone(&origin);
            async move {
                Ok::<_, ()>(fn_service(move |request: ServiceRequest| {
                    let origin = Arc::clone(&origin);
                    async move {
                        let (request, _) = request.into_parts();
                        let response = origin.answer(&request).await;
                        Ok::<_, actix_web::Error>(ServiceResponse::new(request, response))
                    }
                }))
            }
        }))
    })
    .workers(workers)
    .shutdown_timeout(grace)
    .client_request_timeout(request_timeout)
    .keep_alive(keep_alive)
    .disable_signals()
    .listen(listener)?
    .run())
}
