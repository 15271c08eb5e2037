//! Numbers and units in the notation of the `siunitx` package.

use super::inline::{Letters, argument, command_name, inline, option};

/// The text of a command of siunitx, whose arguments are read. `None` for any other command.
pub(super) fn quantity(name: &str, letters: &mut Letters<'_>, depth: usize) -> Option<String> {
    if !matches!(
        name,
        "SI" | "qty"
            | "num"
            | "si"
            | "unit"
            | "ang"
            | "SIrange"
            | "qtyrange"
            | "numrange"
            | "numlist"
            | "SIlist"
            | "qtylist"
    ) {
        return None;
    }
    option(letters);
    let unit_of = |letters: &mut Letters<'_>| {
        option(letters);
        unit(&argument(letters), depth)
    };
    Some(match name {
        "SI" | "qty" => {
            let number = number(&argument(letters));
            joined(&number, &unit_of(letters))
        }
        "si" | "unit" => unit_of(letters),
        "SIrange" | "qtyrange" => {
            let range = range(letters);
            joined(&range, &unit_of(letters))
        }
        "numrange" => range(letters),
        "SIlist" | "qtylist" => {
            let numbers = list(letters);
            joined(&numbers, &unit_of(letters))
        }
        "numlist" => list(letters),
        "ang" => angle(&argument(letters)),
        _ => number(&argument(letters)),
    })
}

fn range(letters: &mut Letters<'_>) -> String {
    let (from, to) = (argument(letters), argument(letters));
    format!("{} to {}", number(&from), number(&to))
}

fn list(letters: &mut Letters<'_>) -> String {
    let numbers = argument(letters);
    let numbers: Vec<String> = numbers.split(';').map(number).collect();
    numbers.join(", ")
}

/// A number with its unit. Only the signs of angles follow without a blank.
fn joined(number: &str, unit: &str) -> String {
    match unit {
        "" => number.to_owned(),
        "°" | "′" | "″" => format!("{number}{unit}"),
        unit => format!("{number} {unit}"),
    }
}

/// `1e6` is written as `1 × 10^6`, and `5 +- 1` with its sign.
fn number(text: &str) -> String {
    let text = text.replace("\\pm", "±").replace("+-", "±");
    let text: String = text.chars().filter(|it| !it.is_whitespace()).collect();
    let power = text.split_once(['e', 'E', 'd', 'D']);
    match power {
        Some(("", power)) => format!("10^{power}"),
        Some((number, power)) => format!("{number} × 10^{power}"),
        None => text,
    }
}

/// Degrees, minutes and seconds, which semicolons separate.
fn angle(text: &str) -> String {
    let parts = text.split(';').zip(["°", "′", "″"]);
    parts
        .filter(|(number, _)| !number.trim().is_empty())
        .map(|(number, sign)| format!("{}{sign}", number.trim()))
        .collect()
}

/// The signs of units that are written as commands, or as they are.
fn unit(source: &str, depth: usize) -> String {
    let mut writer = UnitWriter::default();
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let name = command_name(&mut letters);
                match name.as_str() {
                    "tothe" => writer.power(&argument(&mut letters)),
                    "raiseto" => writer.next_power = argument(&mut letters),
                    "of" => writer.sign(&format!("({})", argument(&mut letters))),
                    name => writer.command(name, depth),
                }
            }
            // In units that are written as they are, a point and a tie multiply.
            '.' | '~' => writer.text.push('·'),
            '{' | '}' | '$' | ' ' | '\n' => {}
            letter => writer.text.push(letter),
        }
    }
    writer.text
}

#[derive(Default)]
struct UnitWriter {
    text: String,
    /// The power that a command before the unit gives it.
    next_power: String,
    /// Whether the next unit is divided by.
    divides: bool,
    /// Whether the last sign is a prefix, which the next one continues.
    continues: bool,
}

impl UnitWriter {
    fn command(&mut self, name: &str, depth: usize) {
        match name {
            "per" => self.divides = true,
            "square" => self.next_power = "2".to_owned(),
            "cubic" => self.next_power = "3".to_owned(),
            "squared" => self.power("2"),
            "cubed" => self.power("3"),
            "cdot" | "times" => self.text.push('·'),
            name => match (prefix(name), sign(name)) {
                (Some(prefix), _) => {
                    self.begin();
                    self.text.push_str(prefix);
                    self.continues = true;
                }
                (None, Some(unit)) => self.sign(unit),
                (None, None) => {
                    let text = inline(&format!("\\{name} "), depth + 1);
                    // A unit of the author's whose definition is not known is named.
                    let text = text.trim();
                    self.sign(if text.is_empty() { name } else { text });
                }
            },
        }
    }

    /// Separates the next unit from the last one.
    fn begin(&mut self) {
        if std::mem::take(&mut self.continues) {
            return;
        }
        if std::mem::take(&mut self.divides) {
            self.text
                .push_str(if self.text.is_empty() { "1/" } else { "/" });
        } else if !self.text.is_empty() && !self.text.ends_with(['·', '/']) {
            self.text.push('·');
        }
    }

    fn sign(&mut self, sign: &str) {
        self.begin();
        self.text.push_str(sign);
        let power = std::mem::take(&mut self.next_power);
        if !power.is_empty() {
            self.power(&power);
        }
    }

    fn power(&mut self, power: &str) {
        match power {
            "2" => self.text.push('²'),
            "3" => self.text.push('³'),
            power => self.text.push_str(&format!("^{power}")),
        }
    }
}

fn prefix(name: &str) -> Option<&'static str> {
    Some(match name {
        "yocto" => "y",
        "zepto" => "z",
        "atto" => "a",
        "femto" => "f",
        "pico" => "p",
        "nano" => "n",
        "micro" => "µ",
        "milli" => "m",
        "centi" => "c",
        "deci" => "d",
        "deca" | "deka" => "da",
        "hecto" => "h",
        "kilo" => "k",
        "mega" => "M",
        "giga" => "G",
        "tera" => "T",
        "peta" => "P",
        "exa" => "E",
        "zetta" => "Z",
        "yotta" => "Y",
        "kibi" => "Ki",
        "mebi" => "Mi",
        "gibi" => "Gi",
        "tebi" => "Ti",
        _ => return None,
    })
}

fn sign(name: &str) -> Option<&'static str> {
    Some(match name {
        "ampere" | "A" => "A",
        "candela" => "cd",
        "kelvin" | "K" => "K",
        "kilogram" | "kg" => "kg",
        "gram" | "g" => "g",
        "metre" | "meter" | "m" => "m",
        "mole" | "mol" => "mol",
        "second" | "s" => "s",
        "becquerel" => "Bq",
        "degreeCelsius" | "celsius" => "°C",
        "coulomb" => "C",
        "farad" => "F",
        "gray" => "Gy",
        "hertz" | "Hz" => "Hz",
        "henry" => "H",
        "joule" | "J" => "J",
        "katal" => "kat",
        "lumen" => "lm",
        "lux" => "lx",
        "newton" | "N" => "N",
        "ohm" => "Ω",
        "pascal" | "Pa" => "Pa",
        "radian" => "rad",
        "siemens" => "S",
        "sievert" => "Sv",
        "steradian" => "sr",
        "tesla" => "T",
        "volt" | "V" => "V",
        "watt" | "W" => "W",
        "weber" => "Wb",
        "astronomicalunit" => "au",
        "bel" => "B",
        "dalton" => "Da",
        "day" => "d",
        "decibel" | "dB" => "dB",
        "degree" => "°",
        "arcminute" => "′",
        "arcsecond" => "″",
        "electronvolt" | "eV" => "eV",
        "hectare" => "ha",
        "hour" | "h" => "h",
        "litre" | "l" => "l",
        "liter" | "L" => "L",
        "minute" => "min",
        "neper" => "Np",
        "tonne" => "t",
        "bar" => "bar",
        "angstrom" => "Å",
        "bit" => "bit",
        "byte" => "B",
        "percent" => "%",
        "nm" => "nm",
        "um" => "µm",
        "mm" => "mm",
        "cm" => "cm",
        "dm" => "dm",
        "km" => "km",
        "ms" => "ms",
        "us" => "µs",
        "ns" => "ns",
        "mg" => "mg",
        "ug" => "µg",
        "ml" => "ml",
        "mL" => "mL",
        "kHz" => "kHz",
        "MHz" => "MHz",
        "GHz" => "GHz",
        "mV" => "mV",
        "kV" => "kV",
        "mA" => "mA",
        "mW" => "mW",
        "kW" => "kW",
        "MW" => "MW",
        "kJ" => "kJ",
        "keV" => "keV",
        "MeV" => "MeV",
        "GeV" => "GeV",
        "TeV" => "TeV",
        "kWh" => "kWh",
        "kPa" => "kPa",
        "MPa" => "MPa",
        _ => return None,
    })
}
