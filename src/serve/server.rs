//! Listening, running, stopping: the only file that knows how the HTTP library is driven.

use super::config::Config;
use super::control;
use super::counters::Counters;
use super::drain::Drain;
use super::error::Error;
use super::gate::{Gate, Key};
use super::origin::Origin;
use super::reply::Sending;
use actix_http::body::BoxBody;
use actix_http::error::DispatchError;
use actix_http::{ConnectionType, HttpMessage, HttpService, Protocol, Request, Response, header};
use actix_service::{ServiceFactory, ServiceFactoryExt, fn_service};
use actix_web::rt;
use actix_web::rt::net::TcpStream;
use socket2::{Domain, Socket, Type};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Connections the system may hold before a worker takes them; a page full of maps opens many at once.
const BACKLOG: i32 = 4096;

/// How long a closing connection may take to take note.
const DISCONNECT: Duration = Duration::from_secs(2);

/// An origin that has its store open and its address taken, but answers nobody yet.
pub struct Server {
    origin: Arc<Origin>,
    listener: TcpListener,
    address: SocketAddr,
    admin: Option<(TcpListener, SocketAddr)>,
}

impl Server {
    /// Checks the settings, opens the store, takes the address.
    ///
    /// # Errors
    /// When a setting makes no sense, the store cannot be read or the address is taken.
    pub fn bind(config: Config) -> Result<Self, Error> {
        config.validate()?;
        let take = |address| listen(address).map_err(|source| Error::Listen { address, source });
        let (listener, address) = take(config.listen)?;
        let admin = config.admin_listen.map(take).transpose()?;
        let origin = Arc::new(Origin::open(config)?);
        Ok(Self { origin, listener, address, admin })
    }

    /// Where it listens, with the port that was taken for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it answers operators, if it does.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(|(_, address)| *address)
    }

    /// Answers requests until `stop` is ready; then lets running requests finish. Blocks.
    ///
    /// # Errors
    /// When the system takes the listener away or has no thread left.
    pub fn run(self, stop: impl Future<Output = ()> + 'static) -> Result<(), Error> {
        let Self { origin, listener, admin, .. } = self;
        let (order, ordered) = watch::channel(false);
        let control = control::start(&origin, admin.map(|(listener, _)| listener), ordered.clone())?;
        let run = async move {
            let server = server(&origin, listener, &ordered)?;
            let handle = server.handle();
            rt::spawn(async move {
                stop.await;
                tracing::info!("stopping");
                origin.drain();
                rt::time::sleep(origin.config.drain).await;
                let stopped = handle.stop(true);
                order.send_replace(true);
                stopped.await;
            });
            server.await
        };
        let served = rt::System::new().block_on(run).map_err(|source| Error::Server { source });
        let _ = control.join();
        served
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

fn server(
    origin: &Arc<Origin>,
    listener: TcpListener,
    stop: &watch::Receiver<bool>,
) -> std::io::Result<actix_web::dev::Server> {
    let (shared, stop) = (Arc::clone(origin), stop.clone());
    let builder = actix_web::dev::Server::build()
        .workers(origin.config.workers)
        .shutdown_timeout(origin.config.grace.as_secs())
        .disable_signals()
        .listen("tiles", listener, move || connections(Arc::clone(&shared), stop.clone()))?;
    Ok(builder.run())
}

/// What one worker does with connections. One service answers every path: a router would
/// decode paths before they are looked at.
fn connections(
    origin: Arc<Origin>,
    mut stop: watch::Receiver<bool>,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()> {
    let drain = Drain::default();
    let begin = drain.clone();
    rt::spawn(async move {
        let _ = stop.wait_for(|stop| *stop).await;
        begin.begin();
    });
    let counters = origin.metrics.worker();
    rt::spawn(control::tick(Arc::clone(&counters)));
    let (request_timeout, keep_alive) = (origin.config.request_timeout, origin.config.keep_alive);
    let answers = fn_service(move |request: Request| answer(Arc::clone(&origin), Arc::clone(&counters), request));
    let http = HttpService::build()
        .graceful_shutdown_signal(move || drain.begun())
        .client_request_timeout(request_timeout)
        .client_disconnect_timeout(DISCONNECT)
        .keep_alive(keep_alive)
        .on_connect_ext(|gate: &Gate<TcpStream>, data| {
            data.insert(gate.key());
        })
        .finish(answers);
    fn_service(|stream: TcpStream| async move {
        let _ = stream.set_nodelay(true);
        let peer = stream.peer_addr().ok();
        Ok((Gate::new(stream), Protocol::Http1, peer))
    })
    .and_then(http)
}

async fn answer(
    origin: Arc<Origin>,
    counters: Arc<Counters>,
    request: Request,
) -> Result<Response<Sending>, Response<BoxBody>> {
    let has_body = request.headers().contains_key(header::TRANSFER_ENCODING)
        || request.headers().get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    let answering = request.conn_data::<Key>().map(|key| key.answering(has_body));
    let mut reply = origin.answer(&counters, request.head()).await;
    if has_body {
        reply.head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(reply.map_body(|_, bytes| Sending::new(bytes, answering)))
}
