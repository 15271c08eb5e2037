//! What the formulas of workbooks that are records refer to by number: names and sheets, of this
//! workbook and of others.

/// What tokens refer to by number.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) defined: Vec<String>,
    /// The sheets of the workbook, in its order.
    pub(super) sheets: Vec<String>,
    pub(super) references: Vec<SheetReference>,
    /// The workbooks and programs that names are taken from.
    pub(super) books: Vec<Book>,
}

/// One or several sheets that a token can refer to.
#[derive(Debug)]
pub(super) struct SheetReference {
    pub(super) book: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

#[derive(Debug)]
pub(super) enum Book {
    /// The workbook itself.
    Own,
    Other {
        /// The name of the file.
        file: String,
        sheets: Vec<String>,
        names: Vec<String>,
    },
}

impl Names {
    /// The sheets of a reference, with the mark that separates them from a cell.
    pub(super) fn sheet(&self, number: u16) -> Option<String> {
        let reference = self.references.get(usize::from(number))?;
        match self.books.get(reference.book)? {
            Book::Own => self.own_sheets(reference.first, reference.last),
            Book::Other { file, sheets, .. } => {
                let sheet = sheets.get(reference.first)?;
                Some(format!("'[{file}]{sheet}'!"))
            }
        }
    }

    pub(super) fn own_sheets(&self, first: usize, last: usize) -> Option<String> {
        let name = self.sheets.get(first)?;
        let name = match self.sheets.get(last) {
            Some(end) if last != first => format!("{name}:{end}"),
            _ => name.clone(),
        };
        let is_plain = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.' | ':');
        if name.chars().all(is_plain) && !name.starts_with(|it: char| it.is_ascii_digit()) {
            Some(name + "!")
        } else {
            Some(format!("'{}'!", name.replace('\'', "''")))
        }
    }

    /// A name by its number, from one.
    pub(super) fn defined(&self, number: usize) -> Option<&String> {
        self.defined.get(number.checked_sub(1)?)
    }

    pub(super) fn of_other_book(&self, reference: u16, number: usize) -> Option<&String> {
        let reference = self.references.get(usize::from(reference))?;
        match self.books.get(reference.book)? {
            Book::Own => self.defined(number),
            Book::Other { names, .. } => names.get(number.checked_sub(1)?),
        }
    }
}
