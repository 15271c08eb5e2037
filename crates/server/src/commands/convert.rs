//! `fingerpost convert`: prints files and addresses of documents as Markdown.

use clap::Arg;

use super::{
    Subcommand, arguments,
    fetch::{self, PageSource, PrintOptions},
};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "convert",
    about: "Convert files or addresses of documents to Markdown",
    arguments: || {
        let sources = Arg::new("source")
            .value_name("FILE|URL")
            .required(true)
            .num_args(1..)
            .help("Files, or addresses of documents");
        let mut all = vec![sources, fetch::mode(), arguments::json()];
        all.extend(fetch::selection());
        all
    },
    run: |matches| {
        let names = arguments::texts(matches, "source").into_iter();
        fetch::print_pages(
            &arguments::load_settings(matches)?,
            names.map(source).collect(),
            &PrintOptions::new(matches),
        )
    },
};

fn source(name: String) -> PageSource {
    if name.starts_with("http://") || name.starts_with("https://") {
        PageSource::Url(name)
    } else {
        PageSource::File(name)
    }
}
