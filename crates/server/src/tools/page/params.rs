//! The parameters that tools for pages share.

use engine::{PageRange, Password, ReadMode, ReadOptions, Selection};

use crate::params::{Args, Param, Shape};

/// The default length of an answer in characters: about a third of what clients accept from a tool.
const DEFAULT_CHARS: i64 = 30_000;

pub(super) const MOST_CHARS: i64 = 200_000;

pub(in crate::tools) const MODE: Param = Param {
    name: "mode",
    about: "preview: beginning; outline: parts and cursors; raw: source",
    shape: Shape::Choice {
        allowed: &["full", "preview", "outline", "raw"],
        default: Some("full"),
    },
    required: false,
    example: "\"full\"",
};

pub(in crate::tools) const PAGES: Param = Param {
    name: "pages",
    about: "Pages or slides: 3-7",
    shape: Shape::Pages,
    required: false,
    example: "\"3-7\"",
};

pub(in crate::tools) const SHEET: Param = Param {
    name: "sheet",
    about: "Only this sheet or file",
    shape: Shape::Text {
        max_chars: u64::MAX,
    },
    required: false,
    example: "\"Q2\"",
};

pub(in crate::tools) const PASSWORD: Param = Param {
    name: "password",
    about: "Of an encrypted document",
    shape: Shape::Text {
        max_chars: u64::MAX,
    },
    required: false,
    example: "\"secret\"",
};

pub(in crate::tools) const FORMULAS: Param = Param {
    name: "formulas",
    about: "Show the formulas of a workbook, too",
    shape: Shape::Flag {
        default: Some(false),
    },
    required: false,
    example: "true",
};

pub(in crate::tools) const MAX_CHARS: Param = Param {
    name: "max_chars",
    about: "Most characters",
    shape: Shape::Integer {
        min: 200,
        max: MOST_CHARS,
        default: Some(DEFAULT_CHARS),
    },
    required: false,
    example: "30000",
};

pub(in crate::tools) const CURSOR: Param = Param {
    name: "cursor",
    about: "Of the previous answer",
    shape: Shape::Integer {
        min: 0,
        max: i64::MAX,
        default: Some(0),
    },
    required: false,
    example: "0",
};

pub(in crate::tools) const ALLOW_TRUNCATE: Param = Param {
    name: "allow_truncate",
    about: "false: fail rather than cut",
    shape: Shape::Flag {
        default: Some(true),
    },
    required: false,
    example: "true",
};

/// Which part of a document the arguments select.
fn selection(args: &Args) -> Selection {
    Selection {
        pages: args.text(PAGES.name).map(PageRange::named),
        name: args.text(SHEET.name).map(str::to_owned),
        password: args.text(PASSWORD.name).map(Password::new),
        formulas: args.flag(FORMULAS.name),
    }
}

pub(in crate::tools) fn read_options(args: &Args) -> ReadOptions {
    let count =
        |name: &str| usize::try_from(args.integer(name).unwrap_or_default()).unwrap_or_default();
    ReadOptions {
        start: count("cursor"),
        max_chars: count("max_chars"),
        may_cut: args.flag("allow_truncate"),
        mode: match args.text("mode") {
            Some("preview") => ReadMode::Preview,
            Some("outline") => ReadMode::Outline,
            Some("raw") => ReadMode::Raw,
            _ => ReadMode::Full,
        },
        selection: selection(args),
    }
}
