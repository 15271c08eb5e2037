//! Every case × dialect × format, bare and full, as snapshots: a reviewer sees each sentence
//! change.

use std::fmt::Write;

use fault::{Case, Context, Dialect, Fault, Format, render};

use crate::sample::{bare, context, full, link};

fn page(dialect: Dialect, format: Format, sample: fn(Case) -> Fault) -> String {
    let link = link();
    let mut text = String::new();
    for case in Case::ALL {
        let fault = sample(*case).request_id(
            "req_1719230400000_a1b2c3d4e"
                .parse::<fault::RequestId>()
                .ok(),
        );
        let reply = render(
            &fault,
            dialect,
            &Context {
                format,
                ..context(&link)
            },
        );
        let _ = writeln!(text, "── {}", case.row().name());
        for block in reply.blocks {
            let _ = writeln!(text, "{}", block.text);
        }
    }
    text
}

macro_rules! snapshots {
    ($($name:ident: $dialect:ident $format:ident),+ $(,)?) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(concat!(stringify!($name), "_bare"), page(Dialect::$dialect, Format::$format, bare));
            insta::assert_snapshot!(concat!(stringify!($name), "_full"), page(Dialect::$dialect, Format::$format, full));
        })+
    };
}

snapshots! {
    dual: Dual Markdown,
    code: Code Markdown,
    flat: Flat Markdown,
    gated_markdown: Gated Markdown,
    gated_json: Gated Json,
    gated_both: Gated Both,
    section: Section Markdown,
    agent: Agent Markdown,
    problem: Problem Markdown,
}
