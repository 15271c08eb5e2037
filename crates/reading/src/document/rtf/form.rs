//! Fields to fill in: boxes to tick, and lists of which one item is chosen.

/// A field that is being read.
#[derive(Default)]
pub(super) struct FormField {
    kind: i64,
    result: Option<i64>,
    preset: i64,
    items: Vec<String>,
}

/// The result of a field that nobody filled in.
const NO_RESULT: i64 = 25;

impl FormField {
    pub(super) fn word(&mut self, name: &str, value: i64) {
        match name {
            "fftype" => self.kind = value,
            "ffres" => self.result = Some(value).filter(|it| *it != NO_RESULT),
            _ => self.preset = value,
        }
    }

    pub(super) fn begin_item(&mut self) {
        self.items.push(String::new());
    }

    pub(super) fn text(&mut self, text: &str) {
        if let Some(item) = self.items.last_mut() {
            item.push_str(text);
        }
    }

    /// What a box or a list shows. The text of other fields follows as their result.
    pub(super) fn shown(&self) -> Option<String> {
        const BOX: i64 = 1;
        const LIST: i64 = 2;
        let value = self.result.unwrap_or(self.preset);
        match self.kind {
            BOX if value == 1 => Some("☒".to_owned()),
            BOX => Some("☐".to_owned()),
            LIST => usize::try_from(value)
                .ok()
                .and_then(|index| self.items.get(index).cloned()),
            _ => None,
        }
    }
}
