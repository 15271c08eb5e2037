//! The fonts whose letters are symbols: in Symbol, `m` is shown as `μ`.
//!
//! Office writes their characters as the letters of their codes, or in the private use area
//! (U+F020 to U+F0FF). The tables say what Unicode has for them; for the pictures of Wingdings and
//! Webdings, that are the characters that Unicode took over from these fonts.

use std::borrow::Cow;

/// The characters from code 0x20 on, sixteen in each row. U+FFFD stands for a code without one.
type Table = [&'static str; 14];

/// A font of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolFont {
    Symbol,
    Wingdings,
    Wingdings2,
    Wingdings3,
    Webdings,
}

impl SymbolFont {
    /// The font of this name. `None` for a font of ordinary letters.
    pub(super) fn named(name: &str) -> Option<SymbolFont> {
        let name: String = name
            .chars()
            .take(40)
            .filter(|letter| letter.is_ascii_alphanumeric())
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        Some(match name.as_str() {
            "symbol" | "symbolmt" | "symbolps" => SymbolFont::Symbol,
            "wingdings" | "wingdingsregular" => SymbolFont::Wingdings,
            "wingdings2" => SymbolFont::Wingdings2,
            "wingdings3" => SymbolFont::Wingdings3,
            "webdings" => SymbolFont::Webdings,
            _ => return None,
        })
    }

    fn table(self) -> &'static Table {
        match self {
            SymbolFont::Symbol => &SYMBOL,
            SymbolFont::Wingdings => &WINGDINGS,
            SymbolFont::Wingdings2 => &WINGDINGS_2,
            SymbolFont::Wingdings3 => &WINGDINGS_3,
            SymbolFont::Webdings => &WEBDINGS,
        }
    }

    /// What the font shows for a code. U+FFFD if nothing is known of it.
    fn shown(self, code: u8) -> char {
        let row = code.checked_sub(0x20).map(|from| usize::from(from / 16));
        row.and_then(|row| self.table()[row].chars().nth(usize::from(code % 16)))
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// A text that is written in this font. Characters without a place in it are shown by another
    /// font and stay.
    pub(super) fn read(self, text: &str) -> String {
        let read = |letter: char| match private_code(letter) {
            Some(code) => self.shown(code),
            None => match u8::try_from(u32::from(letter)) {
                Ok(code) if code > 0x20 && letter != '\u{A0}' && !letter.is_control() => {
                    self.shown(code)
                }
                _ => letter,
            },
        };
        text.chars().map(read).collect()
    }

    /// A text of which only the characters in the private use area are in this font.
    pub(super) fn read_private(self, text: &str) -> Cow<'_, str> {
        if !text.contains(|letter| private_code(letter).is_some()) {
            return Cow::Borrowed(text);
        }
        let read = |letter: char| private_code(letter).map_or(letter, |code| self.shown(code));
        Cow::Owned(text.chars().map(read).collect())
    }
}

/// The code of a character that a font of symbols has in the private use area.
fn private_code(letter: char) -> Option<u8> {
    let code = u32::from(letter).checked_sub(0xF000)?;
    u8::try_from(code).ok().filter(|code| *code >= 0x20)
}

/// Symbol, by the encoding that Adobe gave it.
static SYMBOL: Table = [
    " !∀#∃%&∋()*+,−./",
    "0123456789:;<=>?",
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟ",
    "ΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    "‾αβχδεφγηιϕκλμνο",
    "πθρστυϖωξψζ{|}~\u{FFFD}",
    "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
    "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓",
    "°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉",
    "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
    "\u{FFFD}⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\u{FFFD}",
];

/// Wingdings. Boxes to tick, ticks and arrows are those that people use in text.
static WINGDINGS: Table = [
    " 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭",
    "🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍",
    "🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳",
    "🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉",
    "♊♋♌♍♎♏♐♑♒♓🙰🙵●○■☐",
    "☐❑❒🞟⧫◆❖⬩☒⮹⌘🏵🏶🙶🙷▯",
    "🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍",
    "➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•",
    "⬝○🞆🞈🞊🞋🔿▪☐🟁🟅★🟋🟏🟓🟑",
    "⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘",
    "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗",
    "🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋←",
    "→↑↓↖↗↙↘⬅➡⬆⬇⬉⬈⬋⬊⇦",
    "⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭✗✓☒☑\u{FFFD}",
];

/// Wingdings 2.
static WINGDINGS_2: Table = [
    " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋",
    "🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙",
    "🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑✗",
    "✓☒☑☒☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺",
    "🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥",
    "⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿\u{FFFD}",
    "☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤",
    "🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌",
    "🞍◾■☐🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇",
    "🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁",
    "⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪",
    "🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺",
    "🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒",
    "✹🟃🟇✯🟍🟔⯌⯍※⁂\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
];

/// Wingdings 3.
static WINGDINGS_3: Table = [
    " ←→↑↓↖↗↙↘⭰⭲⭱⭳⭶⭸⭻",
    "⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧",
    "⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌",
    "⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥",
    "🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙",
    "▲▼△▽◀▶◁▷◣◢◤◥🞀🞂🞁\u{FFFD}",
    "🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕",
    "🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅",
    "🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟",
    "🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽",
    "🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮",
    "⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷",
    "🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕",
    "🢗\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
];

/// Webdings.
static WEBDINGS: Table = [
    " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼",
    "🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳",
    "🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂",
    "🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫",
    "⮔✔🚲☐🛡📦🛱■🚑🛈🛩🛰🟈🕴⬤🛥",
    "🚔🗘✗❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲\u{FFFD}",
    "🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠",
    "🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻",
    "🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜",
    "🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻",
    "🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒",
    "🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫",
    "🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦",
    "🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊",
];

/// The character of a SYMBOL field, such as `SYMBOL 109 \\f "Symbol"`.
pub(super) fn symbol_field(code: &str) -> Option<String> {
    let rest = code.trim().strip_prefix("SYMBOL ")?;
    let number = rest.split_whitespace().next()?;
    let number = match number.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    let letter = char::from_u32(number)?.to_string();
    let font = rest.split_once("\\f").and_then(|(_, after)| {
        let name = after.trim_start();
        let quoted = name.strip_prefix('"').and_then(|it| it.split('"').next());
        SymbolFont::named(quoted.or_else(|| name.split_whitespace().next())?)
    });
    Some(font.map_or_else(|| letter.clone(), |font| font.read(&letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_whole() {
        for table in [SYMBOL, WINGDINGS, WINGDINGS_2, WINGDINGS_3, WEBDINGS] {
            assert!(table.iter().all(|row| row.chars().count() == 16));
        }
    }

    #[test]
    fn letters_and_private_characters_are_the_same_symbols() {
        let symbol = SymbolFont::named("Symbol").expect("is one");
        assert_eq!(symbol.read("m \u{F06D}\u{F0A3}\u{B3}日"), "μ μ≤≥日");
        assert_eq!(symbol.read_private("m \u{F06D}"), "m μ");
        assert_eq!(symbol.read("\u{F090}"), "\u{FFFD}");
        let wingdings = SymbolFont::named("Wingdings").expect("is one");
        assert_eq!(wingdings.read("\u{FC}\u{F0E0}J"), "✓→☺");
        assert_eq!(
            SymbolFont::named("Wingdings 3"),
            Some(SymbolFont::Wingdings3)
        );
        assert_eq!(SymbolFont::named("Segoe UI Symbol"), None);
    }
}
