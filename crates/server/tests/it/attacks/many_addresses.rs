//! Clients of several addresses that take every connection and keep it.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::crowds::{ask_from, send_from, with_open_files};
use crate::client::HttpServer;

/// Three quarters of the open files that the server is allowed.
const PLACES: usize = 192;
const ADDRESSES: usize = 48;

/// Takes all places from many addresses, with connections that hold a request which never ends.
async fn take_all_with_requests(server: &HttpServer) -> Vec<TcpStream> {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        server.address
    );
    let mut held = Vec::new();
    for number in 0..PLACES {
        let address = format!("127.0.0.{}", 2 + number % ADDRESSES);
        held.push(send_from(&address, server, request.as_bytes()).await);
    }
    held
}

/// Takes all places from many addresses, with connections that have had an answer.
async fn take_all(server: &HttpServer) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for number in 0..PLACES {
        let address = format!("127.0.0.{}", 2 + number % ADDRESSES);
        let (connection, answer) = ask_from(&address, server).await;
        assert!(answer.contains(" 200 "), "{number}: {answer}");
        held.push(connection);
    }
    held
}

/// How many of these connections the server has closed.
async fn closed(held: &mut [TcpStream]) -> usize {
    let mut closed = 0;
    for connection in held {
        let mut rest = [0; 1_024];
        loop {
            let reading = connection.read(&mut rest);
            match tokio::time::timeout(Duration::from_millis(20), reading).await {
                Err(_) => break,
                Ok(Ok(1..)) => {}
                Ok(Ok(0) | Err(_)) => {
                    closed += 1;
                    break;
                }
            }
        }
    }
    closed
}

#[tokio::test]
async fn many_addresses_cannot_keep_every_connection_from_others() {
    let server = with_open_files(64, 256).await;
    let mut held = take_all(&server).await;
    // A client may need more than one connection.
    let mut others = Vec::new();
    for _ in 0..2 {
        let (connection, answer) = ask_from("127.0.0.1", &server).await;
        assert!(answer.contains(" 200 "), "{answer}");
        others.push(connection);
    }
    assert!(closed(&mut held).await >= 2, "the places were theirs");
    // Whoever has as many as the others waits for a place.
    let (_, answer) = ask_from("127.0.0.2", &server).await;
    assert!(answer.contains(" 503 "), "{answer}");
}

#[tokio::test]
async fn nor_with_requests_that_never_end() {
    let server = with_open_files(64, 256).await;
    let mut held = take_all_with_requests(&server).await;
    let (_connection, answer) = ask_from("127.0.0.1", &server).await;
    assert!(answer.contains(" 200 "), "{answer}");
    assert!(closed(&mut held).await >= 1, "the place was theirs");
}
