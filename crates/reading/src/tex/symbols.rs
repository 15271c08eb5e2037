//! The TeX names of letters and signs.

/// A text with the names of its signs. Characters that TeX treats specially are escaped.
pub(crate) fn tex(text: &str) -> String {
    super::joined(text.chars().map(|letter| match letter {
        '\u{2061}'..='\u{2064}' | '\u{200B}' => String::new(),
        '#' | '%' | '&' | '_' | '$' | '{' | '}' => format!("\\{letter}"),
        '\u{A0}' => "~".to_owned(),
        '−' => "-".to_owned(),
        letter => match name(letter) {
            Some(name) => format!("\\{name}"),
            None => plain_letter(letter).to_string(),
        },
    }))
}

/// The letter of the alphabet that a mathematical letter, such as a script or a bold one, stands
/// for.
fn plain_letter(letter: char) -> char {
    let code = letter as u32;
    if !(0x1D400..=0x1D7FF).contains(&code) {
        return letter;
    }
    let plain = match code {
        0x1D400..=0x1D6A3 => {
            let index = ((code - 0x1D400) % 52) as u8;
            if index < 26 {
                b'A' + index
            } else {
                b'a' + index - 26
            }
        }
        0x1D7CE..=0x1D7FF => b'0' + ((code - 0x1D7CE) % 10) as u8,
        _ => return letter,
    };
    char::from(plain)
}

/// The command of a function that is written upright.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    Some(match name {
        "sin" => "\\sin",
        "cos" => "\\cos",
        "tan" => "\\tan",
        "cot" => "\\cot",
        "sec" => "\\sec",
        "csc" => "\\csc",
        "arcsin" => "\\arcsin",
        "arccos" => "\\arccos",
        "arctan" => "\\arctan",
        "sinh" => "\\sinh",
        "cosh" => "\\cosh",
        "tanh" => "\\tanh",
        "log" => "\\log",
        "ln" => "\\ln",
        "exp" => "\\exp",
        "lim" => "\\lim",
        "max" => "\\max",
        "min" => "\\min",
        "sup" => "\\sup",
        "inf" => "\\inf",
        "det" => "\\det",
        "gcd" => "\\gcd",
        "arg" => "\\arg",
        "dim" => "\\dim",
        "ker" => "\\ker",
        _ => return None,
    })
}

/// The command that puts a mark above its argument.
pub(crate) fn accent(mark: &str) -> &'static str {
    match mark {
        "\u{301}" | "´" => "\\acute",
        "\u{300}" | "`" => "\\grave",
        "\u{303}" | "~" | "˜" => "\\tilde",
        "\u{304}" | "\u{305}" | "¯" | "‾" => "\\overline",
        "\u{306}" | "˘" => "\\breve",
        "\u{307}" | "˙" => "\\dot",
        "\u{308}" | "¨" => "\\ddot",
        "\u{30C}" | "ˇ" => "\\check",
        "\u{20D7}" | "→" => "\\vec",
        "\u{20D6}" | "←" => "\\overleftarrow",
        "⏞" => "\\overbrace",
        _ => "\\hat",
    }
}

fn name(letter: char) -> Option<&'static str> {
    greek(letter).or_else(|| sign(letter))
}

fn greek(letter: char) -> Option<&'static str> {
    Some(match plain_greek(letter) {
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' | 'ϵ' => "epsilon",
        'ζ' => "zeta",
        'η' => "eta",
        'θ' => "theta",
        'ϑ' => "vartheta",
        'ι' => "iota",
        'κ' => "kappa",
        'λ' => "lambda",
        'μ' | 'µ' => "mu",
        'ν' => "nu",
        'ξ' => "xi",
        'π' => "pi",
        'ρ' => "rho",
        'σ' => "sigma",
        'ς' => "varsigma",
        'τ' => "tau",
        'υ' => "upsilon",
        'φ' => "varphi",
        'ϕ' => "phi",
        'χ' => "chi",
        'ψ' => "psi",
        'ω' => "omega",
        'Γ' => "Gamma",
        'Δ' | '∆' => "Delta",
        'Θ' => "Theta",
        'Λ' => "Lambda",
        'Ξ' => "Xi",
        'Π' => "Pi",
        'Σ' => "Sigma",
        'Υ' => "Upsilon",
        'Φ' => "Phi",
        'Ψ' => "Psi",
        'Ω' => "Omega",
        _ => return None,
    })
}

/// The Greek letter that a bold or slanted mathematical one stands for.
fn plain_greek(letter: char) -> char {
    let code = letter as u32;
    if !(0x1D6A8..=0x1D7C9).contains(&code) {
        return letter;
    }
    let index = (code - 0x1D6A8) % 58;
    let plain = match index {
        0..=24 => 0x391 + index,
        25 => 0x2207,
        26..=50 => 0x3B1 + index - 26,
        51 => 0x2202,
        _ => return letter,
    };
    char::from_u32(plain).unwrap_or(letter)
}

fn sign(letter: char) -> Option<&'static str> {
    Some(match plain_greek(letter) {
        '\\' => "backslash",
        '±' => "pm",
        '∓' => "mp",
        '×' => "times",
        '÷' => "div",
        '·' | '⋅' => "cdot",
        '∙' => "bullet",
        '∗' => "ast",
        '∘' => "circ",
        '≤' => "leq",
        '≥' => "geq",
        '≠' => "neq",
        '≈' => "approx",
        '≡' => "equiv",
        '≅' => "cong",
        '∼' => "sim",
        '≃' => "simeq",
        '∝' => "propto",
        '≪' => "ll",
        '≫' => "gg",
        '∞' => "infty",
        '∂' => "partial",
        '∇' => "nabla",
        '∑' => "sum",
        '∏' => "prod",
        '∐' => "coprod",
        '∫' => "int",
        '∬' => "iint",
        '∭' => "iiint",
        '∮' => "oint",
        '⋃' => "bigcup",
        '⋂' => "bigcap",
        '⋁' => "bigvee",
        '⋀' => "bigwedge",
        '√' => "surd",
        '∈' => "in",
        '∉' => "notin",
        '∋' => "ni",
        '⊂' => "subset",
        '⊃' => "supset",
        '⊆' => "subseteq",
        '⊇' => "supseteq",
        '∪' => "cup",
        '∩' => "cap",
        '∅' => "emptyset",
        '∖' => "setminus",
        '∀' => "forall",
        '∃' => "exists",
        '¬' => "neg",
        '∧' => "wedge",
        '∨' => "vee",
        '⊕' => "oplus",
        '⊗' => "otimes",
        '⊥' => "perp",
        '∥' => "parallel",
        '∠' => "angle",
        '△' => "triangle",
        '→' => "rightarrow",
        '←' => "leftarrow",
        '↔' => "leftrightarrow",
        '⇒' => "Rightarrow",
        '⇐' => "Leftarrow",
        '⇔' => "Leftrightarrow",
        '↦' => "mapsto",
        '↑' => "uparrow",
        '↓' => "downarrow",
        '…' => "ldots",
        '⋯' => "cdots",
        '⋮' => "vdots",
        '⋱' => "ddots",
        '′' => "prime",
        '°' => "degree",
        'ℏ' => "hbar",
        'ℓ' => "ell",
        'ℜ' => "Re",
        'ℑ' => "Im",
        'ℵ' => "aleph",
        '⟨' | '〈' => "langle",
        '⟩' | '〉' => "rangle",
        '⌈' => "lceil",
        '⌉' => "rceil",
        '⌊' => "lfloor",
        '⌋' => "rfloor",
        '‖' => "Vert",
        '∴' => "therefore",
        '∵' => "because",
        '†' => "dagger",
        '⊤' => "top",
        '⊢' => "vdash",
        '⊨' => "models",
        _ => return None,
    })
}
