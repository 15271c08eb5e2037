//! Which words of RTF hold no text, and which charset a number stands for.

use encoding_rs::Encoding;

/// Destinations that hold no text for a reader.
pub(super) const SKIPPED: &[&str] = &[
    "rsidtbl",
    "generator",
    "pict",
    "objdata",
    "objname",
    "objalias",
    "objsect",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "filetbl",
    "revtbl",
    "pgptbl",
    "mmathPr",
    "wgrffmtfilter",
    "bkmkstart",
    "bkmkend",
    "atnid",
    "atnref",
    "atndate",
    "atntime",
    "atnparent",
    "atnicn",
    "template",
    "operator",
    "falt",
    "panose",
    "do",
];

/// The charset of a Windows code page.
pub(in crate::document) fn code_page(number: Option<i64>) -> Option<&'static Encoding> {
    let label = match number? {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        866 => "ibm866".to_owned(),
        20_866 => "koi8-r".to_owned(),
        50_220..=50_222 => "iso-2022-jp".to_owned(),
        51_932 => "euc-jp".to_owned(),
        54_936 => "gb18030".to_owned(),
        28_591..=28_606 => format!("iso-8859-{}", number? - 28_590),
        65_001 => "utf-8".to_owned(),
        number => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes())
}

/// The charset of a font, by the number that the font table gives it. `None` for the charset of the
/// whole document.
pub(in crate::document) fn font_charset(number: i64) -> Option<&'static Encoding> {
    code_page(Some(match number {
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    }))
}
