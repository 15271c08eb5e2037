//! The tags that matter, by name.

pub(super) fn heading_level(tag: &str) -> Option<u8> {
    match tag {
        "h1" => Some(1),
        "h2" => Some(2),
        "h3" => Some(3),
        _ => None,
    }
}

pub(super) fn is_void(tag: &str) -> bool {
    matches!(
        tag,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
            | "frame"
            | "param"
            | "path"
            | "use"
    )
}

pub(super) fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "address"
            | "article"
            | "aside"
            | "blockquo"
            | "body"
            | "button"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcapti"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hr"
            | "html"
            | "label"
            | "legend"
            | "li"
            | "main"
            | "nav"
            | "noscript"
            | "ol"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "select"
            | "summary"
            | "table"
            | "tbody"
            | "template"
            | "tr"
            | "ul"
            | "svg"
            | "frameset"
    )
}
