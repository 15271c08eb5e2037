//! Tools that misbehave on purpose, and a server in this process that offers them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fault::{Case, Fault, Origin, Surface};
use serde_json::json;
use server::{
    dispatch::Dispatcher,
    params::{Args, Param, Shape, names},
    settings::Settings,
    tools::{Annotations, Answer, Call, Output, Tool, Toolset},
    wire::McpHandler,
};

use crate::client::Client;

/// How many slow calls were dropped before they ended.
pub static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// Held by tests that count dropped calls, so that they run one at a time.
pub static COUNTING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

const HINTS: Annotations = Annotations {
    read_only: true,
    idempotent: true,
    open_world: true,
};

const MANY: &[Param; 9] = &[
    Param {
        name: "query",
        about: "What",
        shape: Shape::Text { max_chars: 5 },
        required: true,
        example: "\"rust\"",
    },
    Param {
        name: "url",
        about: "Where",
        shape: Shape::Url,
        required: true,
        example: "\"https://example.com/\"",
    },
    Param {
        name: "max_results",
        about: "How many",
        shape: Shape::Integer {
            min: 1,
            max: 20,
            default: Some(10),
        },
        required: false,
        example: "5",
    },
    Param {
        name: "weight",
        about: "A number",
        shape: Shape::Number { min: 0, max: 10 },
        required: false,
        example: "0.5",
    },
    Param {
        name: "deep",
        about: "A flag",
        shape: Shape::Flag {
            default: Some(false),
        },
        required: false,
        example: "true",
    },
    Param {
        name: "mode",
        about: "A choice",
        shape: Shape::Choice {
            allowed: &["basic", "comprehensive"],
            default: Some("basic"),
        },
        required: false,
        example: "\"basic\"",
    },
    Param {
        name: "from_date",
        about: "A date",
        shape: Shape::Date,
        required: false,
        example: "\"2025-06-01\"",
    },
    Param {
        name: "domains",
        about: "A list",
        shape: Shape::List {
            of: &Shape::Text { max_chars: 20 },
            max: 2,
        },
        required: false,
        example: "[\"example.com\"]",
    },
    Param {
        name: "options",
        about: "An object",
        shape: Shape::Object,
        required: false,
        example: "{}",
    },
];

const PAUSE: &[Param; 1] = &[Param {
    name: "milliseconds",
    about: "How long",
    shape: Shape::Integer {
        min: 0,
        max: 60_000,
        default: Some(0),
    },
    required: false,
    example: "10",
}];

pub static TOOLS: &[Tool] = &[
    Tool {
        name: "many",
        title: "Many",
        about: "Gives its arguments back",
        toolsets: &[Toolset::Research, Toolset::Live],
        surface: Surface::Search,
        search_type: "general",
        params: MANY,
        param_names: const { &names(MANY) },
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: None,
        annotations: HINTS,
        run: |_, args| {
            Box::pin(async move {
                Ok(Answer::List {
                    structured: json!(args.as_map()),
                    text: "given".to_owned(),
                })
            })
        },
    },
    Tool {
        name: "slow",
        title: "Slow",
        about: "Takes its time",
        toolsets: &[Toolset::Research],
        surface: Surface::Fetch,
        search_type: "general",
        params: PAUSE,
        param_names: const { &names(PAUSE) },
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: None,
        annotations: HINTS,
        run: |call, args| Box::pin(slow(call, args)),
    },
    Tool {
        name: "patient",
        title: "Patient",
        about: "Has a deadline of its own, eight times that of the settings",
        toolsets: &[Toolset::Research],
        surface: Surface::Fetch,
        search_type: "general",
        params: PAUSE,
        param_names: const { &names(PAUSE) },
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: Some(|settings, _| settings.deadline * 8),
        annotations: HINTS,
        run: |call, args| Box::pin(slow(call, args)),
    },
    Tool {
        name: "steps",
        title: "Steps",
        about: "Tells how far it is",
        toolsets: &[Toolset::Research],
        surface: Surface::Fetch,
        search_type: "general",
        params: &[],
        param_names: &[],
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: None,
        annotations: HINTS,
        run: |call, _| Box::pin(steps(call)),
    },
    Tool {
        name: "panics",
        title: "Panics",
        about: "Panics with a secret",
        toolsets: &[Toolset::Research],
        surface: Surface::Fetch,
        search_type: "general",
        params: PAUSE,
        param_names: const { &names(PAUSE) },
        any_of: None,
        check: None,
        output: Output::Unstructured,
        deadline: None,
        annotations: HINTS,
        run: |_, args| {
            // Half of the panics happen before the first await, half inside the future.
            assert!(args.integer("milliseconds") != Some(1), "hunter2-outside");
            Box::pin(async { panic!("hunter2-inside") })
        },
    },
    Tool {
        name: "fails",
        title: "Fails",
        about: "Always fails",
        toolsets: &[Toolset::Research],
        surface: Surface::Fetch,
        search_type: "general",
        params: PAUSE,
        param_names: const { &names(PAUSE) },
        any_of: None,
        check: None,
        output: Output::SuccessSchema(|| json!({"type": "object", "required": ["fine"]})),
        deadline: None,
        annotations: HINTS,
        run: |_, _| Box::pin(async { Err(Fault::new(Case::Http404, Origin::Page).status(404u16)) }),
    },
];

struct CountDrop;

impl Drop for CountDrop {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

async fn slow(_call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let watch = CountDrop;
    let pause = u64::try_from(args.integer("milliseconds").unwrap_or_default()).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(pause)).await;
    std::mem::forget(watch);
    Ok(Answer::Text("slept".to_owned()))
}

async fn steps(call: &Call<'_>) -> Result<Answer, Fault> {
    for done in [0.0, 50.0, 50.0, 40.0, 100.0] {
        call.progress.step(done, Some(100.0), "working");
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    Ok(Answer::Text("done".to_owned()))
}

/// A session with these tools in this process.
pub async fn session(settings: Settings) -> Client {
    let mut client = connect(settings);
    client.initialize("2025-11-25").await;
    client
}

pub fn connect(settings: Settings) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (input, output) = tokio::io::split(theirs);
    let wire = McpHandler::new(Arc::new(Dispatcher::new(settings, TOOLS)));
    let masker = wire.dispatcher().masker().clone();
    let never = std::future::pending();
    tokio::spawn(server::transport::stdio::serve(
        wire, masker, input, output, never,
    ));
    let (reading, writing) = tokio::io::split(ours);
    Client::over(reading, writing)
}
