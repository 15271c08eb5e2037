//! What control words change and the end of a group restores.

use encoding_rs::Encoding;

use crate::document::markdown::Style;

/// The state inside a group.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) style: Style,
    pub(super) paragraph: Paragraph,
    pub(super) look: Look,
    /// The charset of the font; `None` for that of the document.
    pub(super) encoding: Option<&'static Encoding>,
    /// Whether its text is not shown. Groups inside may be.
    pub(super) skipped: bool,
    /// Whether it repeats for other programs what is read elsewhere, with all groups inside.
    pub(super) dropped: bool,
    /// Whether it stands in a shape, which may be dark.
    pub(super) in_shape: bool,
    /// What ends with the group.
    pub(super) ends: Option<Captured>,
    /// Whether nothing has been read since the group began.
    pub(super) fresh: bool,
    /// How many bytes follow a character given by number, for readers that do not know it.
    pub(super) fallback: usize,
    pub(super) destination: Destination,
    /// Whether `\*` has just been read, so that a destination that is unknown must be skipped.
    pub(super) optional: bool,
}

/// The properties of a paragraph.
#[derive(Clone, Default)]
pub(super) struct Paragraph {
    pub(super) heading: Option<usize>,
    /// The list that it is an item of. Zero for none.
    pub(super) list: i64,
    pub(super) level: usize,
    pub(super) in_table: bool,
    /// Whether something other than white may be behind it.
    pub(super) is_shaded: bool,
}

/// What decides whether a reader sees the text.
#[derive(Clone, Copy, Default)]
pub(super) struct Look {
    pub(super) hidden: bool,
    /// Whether it was deleted while changes were tracked. They are shown as accepted.
    pub(super) deleted: bool,
    /// The number of its colour. Zero for that of the reader.
    pub(super) colour: i64,
    /// Whether something other than white may be behind it.
    pub(super) is_shaded: bool,
    /// Half the size in points, if it is given.
    pub(super) half_points: Option<i64>,
}

/// Text of this size or less, in half points, cannot be read by people.
const UNREADABLE: i64 = 2;

impl Look {
    /// Whether nobody sees it, on whatever background.
    pub(super) fn is_hidden(self) -> bool {
        let is_tiny = self.half_points.is_some_and(|size| size <= UNREADABLE);
        self.hidden || self.deleted || is_tiny
    }
}

/// What the text of a group is for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Destination {
    #[default]
    Body,
    Title,
    Author,
    FieldCode,
    Info,
    Created,
    FontTable,
    ColourTable,
    StyleSheet,
    ListTable,
    ListText,
    ObjectClass,
    CommentAuthor,
    PropertyName,
    PropertyValue,
    FormField,
    FormItem,
    Equation,
}

/// A part that stands beside the text and is written at its end or in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Captured {
    Note,
    Comment,
    /// What stands on every page, or only on first or even pages.
    Running(Pages),
    Shape,
    PropertyValue,
    ObjectClass,
    Field,
    FormField,
    FormItem,
    Equation,
    /// An element of an equation.
    EquationPart,
}

/// The pages that a header or a footer stands on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    All,
    First,
    Even,
}
