//! What single commands of LaTeX stand for.

/// The character of a command without arguments.
pub(super) fn symbol(name: &str) -> Option<&'static str> {
    Some(match name {
        "\\" | "newline" | "linebreak" => "\n",
        "," | ";" | ":" | "!" | "quad" | "qquad" | "enspace" | "thinspace" | " " | "~"
        | "space" => " ",
        "%" => "%",
        "&" => "&",
        "#" => "#",
        "$" => "$",
        "_" => "_",
        "{" => "{",
        "}" => "}",
        "-" | "/" => "",
        "ldots" | "dots" | "textellipsis" => "…",
        "textendash" => "–",
        "textemdash" => "—",
        "textquoteleft" => "‘",
        "textquoteright" => "’",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textbar" => "|",
        "textless" => "<",
        "textgreater" => ">",
        "textbullet" | "bullet" => "•",
        "textdegree" => "°",
        "textregistered" => "®",
        "texttrademark" => "™",
        "copyright" | "textcopyright" => "©",
        "pounds" | "textsterling" => "£",
        "euro" | "texteuro" | "EUR" => "€",
        "S" => "§",
        "P" => "¶",
        "dag" => "†",
        "ddag" => "‡",
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        "today" => "today",
        _ => return None,
    })
}

/// The mark that a command puts above or below the next letter.
pub(super) fn accent(name: &str) -> Option<char> {
    Some(match name {
        "'" => '\u{301}',
        "`" => '\u{300}',
        "^" => '\u{302}',
        "\"" => '\u{308}',
        "~" => '\u{303}',
        "=" => '\u{304}',
        "." => '\u{307}',
        "u" => '\u{306}',
        "v" => '\u{30C}',
        "H" => '\u{30B}',
        "c" => '\u{327}',
        "k" => '\u{328}',
        "r" => '\u{30A}',
        "d" => '\u{323}',
        "b" => '\u{331}',
        _ => return None,
    })
}

/// A letter with a mark as one character, where there is one.
pub(super) fn composed(letter: char, mark: char) -> String {
    const PAIRS: &[(char, &str, &str)] = &[
        (
            '\u{301}',
            "aeiouyAEIOUYcnszlrCNSZLR",
            "áéíóúýÁÉÍÓÚÝćńśźĺŕĆŃŚŹĹŔ",
        ),
        ('\u{300}', "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
        ('\u{302}', "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
        ('\u{308}', "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
        ('\u{303}', "anoANO", "ãñõÃÑÕ"),
        ('\u{30C}', "cdenrstzCDENRSTZ", "čďěňřšťžČĎĚŇŘŠŤŽ"),
        ('\u{30B}', "ouOU", "őűŐŰ"),
        ('\u{327}', "csCSt", "çşÇŞţ"),
        ('\u{328}', "aeAE", "ąęĄĘ"),
        ('\u{30A}', "auAU", "åůÅŮ"),
        ('\u{306}', "agAG", "ăğĂĞ"),
        ('\u{307}', "zZeI", "żŻėİ"),
        ('\u{304}', "aeiouAEIOU", "āēīōūĀĒĪŌŪ"),
    ];
    let plain = match letter {
        'ı' => 'i',
        letter => letter,
    };
    let row = PAIRS.iter().find(|(it, _, _)| *it == mark);
    let whole = row.and_then(|(_, letters, wholes)| {
        let place = letters.chars().position(|it| it == plain)?;
        wholes.chars().nth(place)
    });
    match whole {
        Some(whole) => whole.to_string(),
        None => format!("{plain}{mark}"),
    }
}

/// The level of a heading.
pub(super) fn heading(name: &str) -> Option<usize> {
    Some(match name.trim_end_matches('*') {
        "part" | "chapter" => 1,
        "section" | "frametitle" => 2,
        "subsection" => 3,
        "subsubsection" => 4,
        "paragraph" => 5,
        "subparagraph" => 6,
        _ => return None,
    })
}

/// Commands whose arguments are no text, with how many they have.
pub(super) fn dropped_arguments(name: &str) -> Option<usize> {
    Some(match name.trim_end_matches('*') {
        "label"
        | "bibliographystyle"
        | "pagestyle"
        | "thispagestyle"
        | "vspace"
        | "hspace"
        | "usepackage"
        | "documentclass"
        | "documentstyle"
        | "input"
        | "include"
        | "includeonly"
        | "graphicspath"
        | "index"
        | "phantom"
        | "hypersetup"
        | "pagenumbering"
        | "linespread"
        | "bibliography"
        | "addbibresource"
        | "usetheme"
        | "newtheorem"
        | "selectlanguage"
        | "fontsize"
        | "selectfont"
        | "color"
        | "hyphenation"
        | "markboth"
        | "cline"
        | "fontfamily"
        | "thanks"
        | "RequirePackage"
        | "PassOptionsToPackage"
        | "lstset"
        | "geometry"
        | "date" => 1,
        "setlength"
        | "addtolength"
        | "setcounter"
        | "addtocounter"
        | "newcommand"
        | "renewcommand"
        | "providecommand"
        | "DeclareMathOperator"
        | "rule"
        | "definecolor"
        | "newcolumntype"
        | "captionsetup" => 2,
        "newenvironment" | "renewenvironment" | "addcontentsline" => 3,
        _ => return None,
    })
}

/// Commands whose last argument is text, with how many there are before it.
pub(super) fn skipped_arguments(name: &str) -> Option<usize> {
    Some(match name {
        "textcolor" | "colorbox" | "raisebox" | "parbox" | "scalebox" | "rotatebox"
        | "foreignlanguage" | "texorpdfstring" | "hyperlink" | "hypertarget" => 1,
        "multicolumn" | "resizebox" | "fcolorbox" => 2,
        _ => return None,
    })
}

/// Whether a command means something to the reader itself. A definition of the author's does not
/// change it, because it is mostly about how the command looks.
pub(super) fn is_own_command(name: &str) -> bool {
    let is_structure = matches!(
        name,
        "begin"
            | "end"
            | "item"
            | "title"
            | "author"
            | "date"
            | "maketitle"
            | "par"
            | "caption"
            | "textbf"
            | "textit"
            | "emph"
            | "texttt"
            | "footnote"
            | "url"
            | "href"
            | "hyperref"
            | "cite"
            | "citep"
            | "citet"
            | "ref"
            | "eqref"
            | "includegraphics"
            | "("
            | ")"
            | "["
            | "]"
            | "\\"
    );
    is_structure
        || heading(name).is_some()
        || dropped_arguments(name).is_some()
        || skipped_arguments(name).is_some()
}

/// Environments whose content is not typeset.
pub(super) fn is_left_out(name: &str) -> bool {
    matches!(name, "comment" | "filecontents" | "filecontents*")
}

/// Environments whose content is mathematics.
pub(super) fn is_math(name: &str) -> bool {
    matches!(
        name.trim_end_matches('*'),
        "equation"
            | "align"
            | "gather"
            | "multline"
            | "eqnarray"
            | "displaymath"
            | "math"
            | "alignat"
            | "flalign"
    )
}

/// Environments whose content is shown as it is.
pub(super) fn is_verbatim(name: &str) -> bool {
    matches!(
        name.trim_end_matches('*'),
        "verbatim" | "lstlisting" | "minted" | "Verbatim" | "alltt" | "BVerbatim"
    )
}
