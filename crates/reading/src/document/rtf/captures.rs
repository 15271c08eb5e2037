//! Groups whose text is used when they end: notes, headers, shapes, fields and equations.

use super::form::FormField;
use super::reader::RtfReader;
use super::state::{Captured, Destination, Pages, Paragraph};
use super::story::Story;
use crate::document::field_code::{field_link, field_text};
use crate::document::markdown::one_line;

impl RtfReader<'_> {
    /// Words whose group is used when it ends. Returns whether this was one.
    pub(super) fn is_captured(&mut self, name: &str) -> bool {
        let captured = match name {
            "footnote" => Captured::Note,
            "annotation" => Captured::Comment,
            "header" | "headerr" | "footer" | "footerr" => Captured::Running(Pages::All),
            "headerf" | "footerf" => Captured::Running(Pages::First),
            "headerl" | "footerl" => Captured::Running(Pages::Even),
            "shptxt" | "dptxbxtext" => Captured::Shape,
            "sn" => {
                self.code.clear();
                self.state.destination = Destination::PropertyName;
                return true;
            }
            "sv" => Captured::PropertyValue,
            "objclass" => Captured::ObjectClass,
            "field" => Captured::Field,
            "formfield" => Captured::FormField,
            "ffl" => Captured::FormItem,
            "moMath" => Captured::Equation,
            word if self.is_equation_part(word) => Captured::EquationPart,
            _ => return false,
        };
        // A group has one purpose.
        if self.state.ends.is_none() {
            self.begin_captured(captured, name);
        }
        true
    }

    fn is_equation_part(&self, word: &str) -> bool {
        let is_inside = self.state.destination == Destination::Equation;
        is_inside && self.state.ends.is_none() && word.starts_with('m')
    }

    fn begin_captured(&mut self, captured: Captured, word: &str) {
        self.state.ends = Some(captured);
        match captured {
            Captured::Note | Captured::Comment | Captured::Running(_) | Captured::Shape => {
                self.begin_story();
                self.state.in_shape |= captured == Captured::Shape;
            }
            Captured::Field => self.shown_by_form = None,
            Captured::PropertyValue => {
                self.value.clear();
                self.state.destination = Destination::PropertyValue;
            }
            Captured::ObjectClass => {
                self.value.clear();
                self.state.destination = Destination::ObjectClass;
            }
            Captured::FormField => {
                self.form = FormField::default();
                self.state.destination = Destination::FormField;
            }
            Captured::FormItem => {
                self.form.begin_item();
                self.state.destination = Destination::FormItem;
            }
            Captured::Equation | Captured::EquationPart => {
                self.equation.begin(word);
                self.state.destination = Destination::Equation;
            }
        }
    }

    /// Begins a story that stands beside the one that is being read.
    fn begin_story(&mut self) {
        let story = Story::new(self.input.markdown());
        self.outer.push(std::mem::replace(&mut self.story, story));
        self.state.skipped = false;
        self.state.destination = Destination::Body;
        self.state.paragraph = Paragraph::default();
    }

    pub(super) fn end_story(&mut self) -> String {
        let Some(outer) = self.outer.pop() else {
            return String::new();
        };
        let story = std::mem::replace(&mut self.story, outer);
        story.into_text(&mut self.lists)
    }

    pub(super) fn end_captured(&mut self, captured: Captured) {
        match captured {
            Captured::Note => {
                let note = one_line(&self.end_story());
                if !note.is_empty() {
                    self.notes.push(note);
                    self.body(&format!("[^{}]", self.notes.len()));
                }
            }
            Captured::Comment => self.end_comment(),
            Captured::Running(pages) => {
                let text = self.end_story();
                self.running.push((pages, text));
            }
            Captured::Shape => {
                let text = self.end_story();
                self.story.add_box(text);
            }
            Captured::PropertyValue => self.end_property(),
            Captured::ObjectClass => {
                let class = one_line(&std::mem::take(&mut self.value));
                if !class.is_empty() {
                    self.body(&format!("[embedded: {class}] "));
                }
            }
            Captured::Field => {
                let shown = self.shown_by_form.take();
                // The code of a field whose result was read shows nothing.
                let shown = shown.or_else(|| field_text(&std::mem::take(&mut self.code)));
                shown.into_iter().for_each(|it| self.body(&it));
            }
            Captured::FormField => self.shown_by_form = self.form.shown(),
            Captured::FormItem => {}
            Captured::Equation | Captured::EquationPart => {
                if let Some(tex) = self.equation.end().filter(|it| !it.is_empty()) {
                    self.body(&format!("${tex}$"));
                }
            }
        }
    }

    fn end_comment(&mut self) {
        let comment = one_line(&self.end_story());
        let author = one_line(&std::mem::take(&mut self.commented_by));
        if comment.is_empty() {
            return;
        }
        self.comments.push(match author.is_empty() {
            true => comment,
            false => format!("{author}: {comment}"),
        });
        self.body(&format!("[^comment-{}]", self.comments.len()));
    }

    /// Shows the alternative text of a picture or a shape.
    fn end_property(&mut self) {
        let value = one_line(&std::mem::take(&mut self.value));
        if self.code.trim() == "wzDescription" && !value.is_empty() {
            self.story.plain(&format!("![{value}]"));
        }
    }

    pub(super) fn begin_field_result(&mut self) {
        self.state.destination = Destination::Body;
        if let Some(shown) = field_text(&self.code) {
            self.body(&shown);
            self.state.skipped = true;
            self.code.clear();
        }
        self.state.style.link = field_link(&self.code);
    }
}
