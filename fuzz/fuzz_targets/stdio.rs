//! Any bytes on stdin, in lines or not: the server reads to the end, ends by itself, and writes
//! nothing but whole JSON-RPC messages, one per line, each a reply to something that was sent.
#![no_main]

use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use server::{dispatch::Dispatcher, settings::Settings, transport::stdio, wire::McpHandler};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    runtime::{Builder, Runtime},
};

/// More than all that a run writes, so that nobody waits for a reader.
const PIPE: usize = 1 << 22;
const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}
"#;

struct Served {
    runtime: Runtime,
    dispatcher: Arc<Dispatcher>,
}

/// Without tools, because what they do with arguments has a target of its own.
fn served() -> &'static Served {
    static SERVED: OnceLock<Served> = OnceLock::new();
    SERVED.get_or_init(|| Served {
        runtime: Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime"),
        dispatcher: Arc::new(Dispatcher::new(Settings::default(), &[])),
    })
}

/// What the server writes when it is sent these bytes.
fn written(bytes: &[u8]) -> Vec<u8> {
    let Served {
        runtime,
        dispatcher,
    } = served();
    runtime.block_on(async {
        let (mut client_out, server_in) = duplex(PIPE);
        let (server_out, mut client_in) = duplex(PIPE);
        client_out.write_all(bytes).await.expect("there is room");
        drop(client_out);
        let handler = McpHandler::new(Arc::clone(dispatcher));
        let masker = dispatcher.masker().clone();
        // A first message that opens no session is an error of the client's.
        let _ = stdio::serve(handler, masker, server_in, server_out, std::future::pending()).await;
        let mut written = Vec::new();
        client_in.read_to_end(&mut written).await.expect("memory");
        written
    })
}

fn check(sent: &[u8]) {
    let written = String::from_utf8(written(sent)).expect("text");
    assert!(written.is_empty() || written.ends_with('\n'));
    for line in written.lines() {
        let message: Value = serde_json::from_str(line).expect("JSON on every line");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        let is_reply = message.get("result").is_some() || message.get("error").is_some();
        assert!(is_reply, "nothing was asked of the client: {line}");
    }
    let (asked, told) = (sent.len(), written.lines().count());
    assert!(told <= asked, "{told} replies to {asked} bytes");
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&[INITIALIZE, bytes].concat());
});
