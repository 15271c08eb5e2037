//! LaTeX and reStructuredText as authors write them.

use reading::document::{Document, Hint, Warning, read_document};

fn named(bytes: &[u8], name: &str) -> Document {
    let hint = Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    };
    read_document(bytes, &hint).unwrap_or_else(|fault| panic!("{fault:?}: {fault}"))
}

fn latex(body: &str) -> String {
    let source =
        format!("\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n");
    named(source.as_bytes(), "a.tex").markdown
}

#[test]
fn a_percent_sign_in_verbatim_text_is_no_comment() {
    assert_eq!(
        latex(
            "Use \\verb|a%b\\x| and \\url{http://a.example/x%20y\\_z}. This follows. % hidden\nMore.\n\n% a line\nEnd."
        ),
        "Use `a%b\\x` and <http://a.example/x%20y_z>. This follows. More.\n\nEnd."
    );
    assert_eq!(
        latex(
            "\\begin{verbatim}\nawk '{ printf \"%s\\n\", $1 }' % 3\n\\end{verbatim}\n\
             \\begin{lstlisting}[language=C]\nreturn x % 2; // \\end{verbatim}\n\\end{lstlisting}\n\
             \\begin{minted}{python}\nx = 5 % 3\n\\end{minted}\nAfter \\lstinline!y % 2! it."
        ),
        "```\nawk '{ printf \"%s\\n\", $1 }' % 3\n```\n\n```c\nreturn x % 2; // \\end{verbatim}\n```\n\n\
         ```python\nx = 5 % 3\n```\n\nAfter `y % 2` it."
    );
    assert_eq!(
        latex("\\begin{tabular}{ll}\n\\verb|a&b| & \\verb|\\\\| \\\\[2pt]\n1 & 2\n\\end{tabular}"),
        "| `a&b` | `\\\\` |\n| --- | --- |\n| 1 | 2 |"
    );
}

#[test]
fn the_macros_of_the_author_are_expanded() {
    let source = "\\documentclass{article}\n\\newcommand{\\sys}{FooDB\\xspace}\n\\def\\corp{Acme Corp}\n\
        \\newcommand{\\hl}[1]{\\textbf{#1}}\n\\newcommand*\\pair[2]{(#1 and #2)}\n\\newcommand{\\opt}[2][none]{#1/#2}\n\
        \\def\\swap#1#2{#2 #1}\\let\\again\\corp\\DeclareMathOperator{\\argmin}{arg\\,min}\n\\NewDocumentCommand{\\three}{m m m}{#3#2#1}\n\
        \\title{The \\sys{} paper}\n\\begin{document}\n\\section{\\sys{} design}\n\
        We present \\sys, a store by \\corp. The \\sys store. \\hl{Marked words} here. \\pair{left}{right}. \
        \\opt{x} \\opt[y]{z} \\swap ab \\again{} \\three{a}{b}{c} $\\argmin_x \\hl{y}$.\n\\end{document}";
    let read = named(source.as_bytes(), "a.tex");
    assert_eq!(read.title.as_deref(), Some("The FooDB paper"));
    assert_eq!(
        read.markdown,
        "# The FooDB paper\n\n## FooDB design\n\nWe present FooDB, a store by Acme Corp. The FooDB store. **Marked words** here. \
         (left and right). none/x y/z b a Acme Corp cba $\\operatorname{arg\\,min}_x \\textbf{y}$."
    );
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
}

#[test]
fn macros_without_end_are_cut_and_told() {
    for source in [
        "\\def\\x{\\x\\x}\\x Words.",
        "\\def\\x#1{\\x{#1#1}}\\x{ab} Words.",
        "\\def\\a{\\b\\b\\b}\\def\\b{\\c\\c\\c}\\def\\c{\\a long text}\\a Words.",
        "\\newcommand\\x[1]{\\y{#1}}\\newcommand\\y[1]{\\x{a#1}}\\x{} Words.",
    ] {
        let read = named(source.as_bytes(), "a.tex");
        assert_eq!(read.warnings, [Warning::Incomplete], "{source}");
        assert!(read.markdown.len() < 10_000_000);
    }
    // Each use costs the length of the definition, even if nothing of it is shown.
    let wide = format!(
        "\\def\\x#1{{{}}}{}Words.",
        "#1".repeat(200_000),
        "\\x{}".repeat(40_000)
    );
    named(wide.as_bytes(), "a.tex");
}

#[test]
fn spanning_cells_and_rules_leave_no_arguments_in_a_table() {
    assert_eq!(
        latex(
            "\\begin{tabular}{lr}\n\\toprule Year & Sales \\\\ \\cmidrule(lr){1-2}\n\\multicolumn{2}{c}{Europe} \\\\\n\
             2023 & \\multicolumn{1}{r}{450} \\\\ \\cline{1-2}\n\\multirow{2}{*}{2024} & 500 \\\\\n & \\textcolor{red}{510}\n\\end{tabular}"
        ),
        "| Year | Sales |\n| --- | --- |\n| Europe |  |\n| 2023 | 450 |\n| 2024 | 500 |\n|  | 510 |"
    );
}

#[test]
fn a_macro_that_looks_for_another_one_shows_its_text_once() {
    assert_eq!(
        latex(
            "\\providecommand*{\\DUrole}[2]{%\n  \\ifcsname DUrole#1\\endcsname%\n    \\csname DUrole#1\\endcsname{#2}%\n  \\else%\n    #2%\n  \\fi%\n}\n\
             \\newcommand{\\DUrolekey}[1]{<#1>}\n\
             \\DUrole{first}{\\DUrole{last}{One}} and \\DUrole{key}{two} and \\csname unknown\\endcsname{three}."
        ),
        "One and <two> and three."
    );
}

#[test]
fn numbers_keep_their_units_and_powers() {
    assert_eq!(
        latex(
            "\\SI{5}{\\micro\\gram}, \\num{1e6}, \\qty{3}{\\metre}, \\SI[per-mode=symbol]{9.81}{\\metre\\per\\second\\squared}, \
             \\si{\\kilo\\watt\\hour}, \\unit{kg.m^2}, \\qty{20}{\\degreeCelsius}, \\SIrange{1}{5}{\\percent}, \\ang{12;30}, \
             \\SI{2}{\\square\\metre}, \\numlist{1;2}, 10\\textsuperscript{8}, 1\\textsuperscript{st}."
        ),
        "5 µg, 1 × 10^6, 3 m, 9.81 m/s², kW·h, kg·m^2, 20 °C, 1 to 5 %, 12°30′, 2 m², 1, 2, 10^8, 1st."
    );
}

#[test]
fn the_text_of_a_link_within_the_document_is_kept() {
    assert_eq!(
        latex(
            "See \\hyperref[sec:heat]{Water \\emph{heater}}, \\hyperref{a.html}{section}{one}{the page} \\
             and \\hyperlink{x}{there}, \\hypertarget{x}{here}."
        ),
        "See Water *heater*, the page and there, here."
    );
}

#[test]
fn entries_of_a_bibliography_begin_with_the_key_that_is_cited() {
    assert_eq!(
        latex(
            "See \\cite{knuth}.\n\\begin{thebibliography}{99}\n\\bibitem{knuth} D. Knuth.\n\\bibitem[Ada]{ada} A. Byron.\n\\end{thebibliography}"
        ),
        "See [knuth].\n\n[knuth] D. Knuth.\n\n[ada] A. Byron."
    );
}

#[test]
fn what_a_document_leaves_out_is_left_out() {
    assert_eq!(
        latex(
            "A \\iffalse old \\ifx\\a\\b x\\else y\\fi gone \\else new \\fi B.\n\n\\begin{comment}\nhidden \\fi\n\\end{comment}\n\
             \\iftrue shown \\else not \\fi \\if0 hidden \\fi end. \\newif\\ifdraft\\ifdraft draft\\else final\\fi{} \
             \\drafttrue\\ifdraft draft\\fi\n\nA $\\iff$ B."
        ),
        "A new B.\n\nshown end. final draft\n\nA $\\iff$ B."
    );
    // Without its end, a condition hides nothing.
    assert_eq!(latex("A \\iffalse B \\begin{comment} C"), "A B\n\nC");
}

#[test]
fn a_csv_table_keeps_its_header_and_its_quoted_cells() {
    let source = "Title\n=====\n\n.. csv-table:: Prices\n   :header: \"Item, large\", Price\n   :widths: 3, 1\n\n   \"Apple, red\", 5\n   Pear, \"7\"\n\n\
        .. csv-table::\n   :delim: ;\n\n   a; b,c\n   1; 2\n";
    assert_eq!(
        named(source.as_bytes(), "a.rst").markdown,
        "# Title\n\nPrices\n\n| Item, large | Price |\n| --- | --- |\n| Apple, red | 5 |\n| Pear | 7 |\n\n| a | b,c |\n| --- | --- |\n| 1 | 2 |"
    );
}

#[test]
fn substitutions_targets_and_contents_are_shown() {
    let source = "Product |name| costs |price|, |c| 2024, ``|name|`` and |other|. See `The Docs`_, ref_, an_other_word_ and `sys`_.\n\n\
        .. |name| replace:: Foo\n   DB\n.. |price| replace:: 42 EUR\n.. |c| unicode:: 0xA9 .. sign\n\
        .. _the docs: http://a.example/docs\n.. _ref: http://a.example/ref\n.. _sys:\n\n\
        .. toctree::\n   :caption: Contents\n   :maxdepth: 2\n\n   intro\n   Guide <guide>\n\nEnd.\n";
    assert_eq!(
        named(source.as_bytes(), "a.rst").markdown,
        "Product Foo DB costs 42 EUR, © 2024, `|name|` and |other|. See [The Docs](http://a.example/docs), \
         [ref](http://a.example/ref), an_other_word_ and sys.\n\n**Contents**\n\n- intro\n- [Guide](guide)\n\nEnd."
    );
    let long = format!(
        ".. |a| replace:: {}\n\n{}",
        "x".repeat(10_000),
        "|a| ".repeat(10_000)
    );
    assert!(named(long.as_bytes(), "a.rst").markdown.len() < 2_000_000);
}

fn asciidoc(source: &str) -> Document {
    named(source.as_bytes(), "a.adoc")
}

fn rst(source: &str) -> Document {
    named(source.as_bytes(), "a.rst")
}

#[test]
fn the_head_of_asciidoc_is_facts() {
    let read = asciidoc(
        "= The Title\nJane Roe <jane@example.org>; Bo Li\nv1.0, 2021-05-05: first\n:product: Widget\n:url: https://a.example\n\n\
         About {product} by {author} at link:{url}[the site].\n",
    );
    assert_eq!(
        read.markdown,
        "# The Title\n\nAbout Widget by Jane Roe, Bo Li at [the site](https://a.example)."
    );
    let facts = [read.title, read.author, read.date].map(Option::unwrap_or_default);
    assert_eq!(facts, ["The Title", "Jane Roe, Bo Li", "2021-05-05"]);
    let prose = asciidoc("= The Title\nThis is the text of a document.\nMore of it.\n");
    assert_eq!(
        prose.markdown,
        "# The Title\n\nThis is the text of a document.\nMore of it."
    );
}

#[test]
fn asciidoc_shows_what_its_conditions_let() {
    let source = ":yes:\n\nifdef::no[]\nhidden\nifdef::yes[]\nhidden, too\nendif::[]\nendif::no[]\n\
        ifdef::yes[shown]\nifndef::no[]\nand this\nendif::[]\nifdef::yes+no[]\nnot this\nendif::[]\n";
    assert_eq!(asciidoc(source).markdown, "shown\nand this");
}

#[test]
fn asciidoc_tables_of_values_and_quotes_are_whole() {
    assert_eq!(
        asciidoc(
            "[%header,format='csv']\n|===\na,\"b, c\"\n1,2\n|===\n\n,===\nx,y\n,===\n\n:===\nx:y\n:===\n"
        )
        .markdown,
        "| a | b, c |\n| --- | --- |\n| 1 | 2 |\n\n| x | y |\n| --- | --- |\n\n| x | y |\n| --- | --- |"
    );
    assert_eq!(
        asciidoc(
            "[quote, Abraham Lincoln, Lincoln's Address]\nFour score.\n\n[quote, Who]\n____\nSaid.\n____\n\n[WARNING]\n====\nHot.\n====\n\n[TIP]\nCold.\n\n\
             [stem]\n++++\nx^2\n++++\n\n[source,sh]\nls\n"
        )
        .markdown,
        "> Four score.\n> — Abraham Lincoln, Lincoln's Address\n\n> Said.\n> — Who\n\n**WARNING:**\n\nHot.\n\n> **TIP:** Cold.\n\n$$\nx^2\n$$\n\n```sh\nls\n```"
    );
}

#[test]
fn asciidoc_macros_show_their_text() {
    let source = "Text.footnote:[See https://a.example[it].] Again.footnote:n[Named.] And.footnote:n[]\n\
        Press kbd:[Ctrl+C], btn:[OK], menu:File[Save], stem:[x^2], image:a.png[Icon], pass:[<u>x</u>].\n\
        H~2~O, 10^8^, \"`smart`\", #mark#, [.red]#styled#, [small]#small#, +*as it is*+, \\*star*, [[here]]((term)).\n";
    assert_eq!(
        asciidoc(source).markdown,
        "Text.[^1] Again.[^2] And.[^2]\nPress `Ctrl+C`, **OK**, File > Save, $x^2$, ![Icon], <u>x</u>.\n\
         H2O, 10^8, \"smart\", mark, styled, small, *as it is*, *star*, term.\n\n[^1]: See [it](https://a.example).\n\n[^2]: Named."
    );
}

#[test]
fn asciidoc_lists_are_inside_one_another() {
    assert_eq!(
        asciidoc(". First\n.. Sub\n* Bullet\n** Deep\n. Second\n").markdown,
        "1. First\n   1. Sub\n      - Bullet\n        - Deep\n2. Second"
    );
    assert_eq!(
        asciidoc("* First\n  * Inside\n* Second\n  1. One\n  2. Two\n    * Deep\n* Third\n")
            .markdown,
        "- First\n  - Inside\n- Second\n  1. One\n  2. Two\n     - Deep\n- Third"
    );
    assert_eq!(
        asciidoc("CPU:: The brain.\nRAM::\n  Memory of\n  the machine.\n\nQ1::\n\nAnswer.\n")
            .markdown,
        "- **CPU**: The brain.\n- **RAM**: Memory of\n  the machine.\n- **Q1**: Answer."
    );
}

#[test]
fn asciidoc_lists_begin_where_they_say_and_end_at_titles() {
    assert_eq!(
        asciidoc(". One\n. Two\n\n[start=4]\n. Four\n. Five\n\n.Title\n* a\n\n* * *\n\n* b\n")
            .markdown,
        "1. One\n2. Two\n4. Four\n5. Five\n\n**Title**\n\n- a\n- b"
    );
    assert_eq!(
        asciidoc(
            ":a: one \\\n  two\n\n{a} image:x.png[width=50%,link='https://a.example'] +++<b>*x*</b>+++\n\nimage::y.png[]\n"
        )
        .markdown,
        "one two [![x.png]](https://a.example) <b>*x*</b>\n\n![y.png]"
    );
}

#[test]
fn a_list_that_is_a_table_may_have_other_bullets_and_lists_inside() {
    let source = "Text.\n\n.. list-table::\n   :header-rows: 1\n\n   * + Name\n     + Value\n   * + one\n       goes on\n     + -5\n   *\n     + two\n     + has\n\n       - inner\n";
    assert_eq!(
        rst(source).markdown,
        "Text.\n\n| Name | Value |\n| --- | --- |\n| one goes on | -5 |\n| two | has - inner |"
    );
}

#[test]
fn files_that_belong_in_a_document_are_named() {
    assert_eq!(
        latex("\\input{chapters/one}\nWords \\include{two}"),
        "Included: chapters/one\n\nWords\n\nIncluded: two"
    );
    assert_eq!(
        rst("Title\n=====\n\n.. include:: <isonum.txt>\n.. include:: one.rst\n\n.. literalinclude:: a.py\n   :language: python\n").markdown,
        "# Title\n\nIncluded: one.rst\n\nIncluded: a.py"
    );
    assert_eq!(
        asciidoc("= Book\n\ninclude::one.adoc[leveloffset=1]\n\ninclude::two.adoc[]\n").markdown,
        "# Book\n\nIncluded: one.adoc\n\nIncluded: two.adoc"
    );
}

#[test]
fn rst_formulas_are_formulas() {
    assert_eq!(
        rst(".. math:: a^2\n\n.. math::\n   :label: one\n\n   E = mc^2\n\n   x = \\\\\n   y\n")
            .markdown,
        "$$\na^2\n$$\n\n$$\nE = mc^2\n$$\n\n$$\nx = \\\\\ny\n$$"
    );
}

#[test]
fn rst_marks_of_notes_lead_to_their_texts() {
    let source = "One [1]_, named [#f]_, unnamed [#]_ and [#]_, cited [CIT]_, lost [#9]_.\n\n\
        .. [1] First\n.. [#f] Named\n.. [#] Second\n.. [#] Third\n.. [CIT] Cited\n";
    assert_eq!(
        rst(source).markdown,
        "One [^1], named [^f], unnamed [^2] and [^3], cited [^CIT], lost [9].\n\n\
         [^1]: First\n\n[^f]: Named\n\n[^2]: Second\n\n[^3]: Third\n\n[^CIT]: Cited"
    );
}

#[test]
fn rst_fields_options_terms_and_lines_are_told_apart() {
    let source = "Title\n=====\n\n:Author: Me\n:Date: 2024\n\nText.\n\n-a         option a\n--long=x   option\n           long\n\n\
        | Line one\n| Line two\n\nterm : kind\n    What it\n    means.\n\n1. one\n\n   - inner\n\n   More of it.\n\n    A quote\n";
    let read = rst(source);
    assert_eq!(
        read.markdown,
        "# Title\n\n- Author: Me\n- Date: 2024\n\nText.\n\n- `-a`: option a\n- `--long=x`: option long\n\n\
         Line one\nLine two\n\n- **term : kind**: What it means.\n1. one\n   - inner\n\nMore of it.\n\nA quote"
    );
    assert_eq!(read.author.as_deref(), Some("Me"));
    assert_eq!(read.date.as_deref(), Some("2024"));
}

#[test]
fn conditions_inside_conditions_take_no_time() {
    let source = format!("= T\n\n{}shown\n", "ifeval::[]\n".repeat(300_000));
    assert!(asciidoc(&source).markdown.ends_with("shown"));
}

#[test]
fn definitions_inside_definitions_do_not_fill_the_memory() {
    let mut source = String::from("`a0`_\n\n");
    for depth in 0..200 {
        source += &format!("{}.. _a{depth}: https://a.example/\n", " ".repeat(depth));
    }
    let line = format!("{}{}\n", " ".repeat(201), "a".repeat(5_000));
    source += &line.repeat(500);
    let text = rst(&source).markdown;
    assert!(text.starts_with("[a0](https://a.example/"), "{:.99}", text);
    let link = text.lines().next().unwrap_or_default();
    assert!(link.len() < 20_000, "{}", link.len());
}
