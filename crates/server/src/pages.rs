//! Reads pages and files through the engine, and names parameters and settings in what it returns.
//!
//! The engine knows neither: it says as typed values why a path is refused, or in which other form
//! a page may be readable. Tools and commands read through this module, so that each of these
//! reasons has one sentence.

use std::path::Path;

use engine::{Call, Engine, FileError, Page, PageRequest, PathRefusal, ReadOptions};
use fault::{Fault, FieldName, Issue, OtherForm, Problem, Say, SettingName};

pub(crate) async fn read_page(
    engine: &Engine,
    call: &Call,
    request: &PageRequest,
) -> Result<Page, Fault> {
    let read = engine.read_page(call, request).await;
    read.map_err(name_other_form)
}

pub(crate) async fn read_file(
    engine: &Engine,
    call: &Call,
    path: &Path,
    options: &ReadOptions,
) -> Result<Page, Fault> {
    let read = engine.read_file(call, path, options).await;
    read.map_err(|error| match error {
        FileError::Refused(refusal) => refused_path(refusal),
        FileError::Failed(fault) => name_other_form(fault),
    })
}

/// Refuses a path that may not be read or names no file. Nothing is read.
pub(crate) async fn check_file(engine: &Engine, path: &Path) -> Result<(), Fault> {
    let checked = engine.check_file(path).await;
    checked.map_err(|error| match error {
        FileError::Refused(refusal) => refused_path(refusal),
        FileError::Failed(fault) => fault.parameter(FieldName::new("path")),
    })
}

/// Adds the advice that names the form in which the page may be readable.
fn name_other_form(fault: Fault) -> Fault {
    let advice = match fault.readable_form() {
        None => return fault,
        Some(OtherForm::MainText) => "Repeat the call without mode=raw.",
        Some(OtherForm::Source) => {
            "Do not retry it as it is; read the page with mode=raw to find the real link, or look for another copy of the file."
        }
    };
    fault.advising(Say::new(advice))
}

fn refused_path(refusal: PathRefusal) -> Fault {
    let says = match refusal {
        PathRefusal::NoOpenDirectory => {
            "cannot be read: this server may not read any local directory. Give a url, or ask the operator to allow a directory with --allow-path"
        }
        PathRefusal::OutsideOpenDirectories => {
            "is outside the directories that this server may read. Give a path inside them, or ask the operator to allow its directory with --allow-path"
        }
        PathRefusal::Missing => "does not name a file that exists. Check the spelling",
        PathRefusal::Directory => "names a directory. Give the path of a file in it",
        PathRefusal::NotRegular => {
            "names a pipe or a device, which this server does not read. Give the path of a regular file"
        }
        PathRefusal::NotPermitted => {
            "names a file that this server has no permission to read. Ask the operator to change its permissions, or give another file"
        }
    };
    let problem = Problem::new(FieldName::new("path"), Issue::Says(Say::new(says)));
    let fault = Fault::arguments(vec![problem]);
    match refusal {
        PathRefusal::NoOpenDirectory | PathRefusal::OutsideOpenDirectories => {
            fault.setting(SettingName::new("allow-path"))
        }
        _ => fault,
    }
}

#[cfg(test)]
mod tests {
    use fault::{Case, Origin};

    use super::*;

    #[test]
    fn a_fault_without_another_form_keeps_its_sentence() {
        let fault = Fault::new(Case::Empty, Origin::Page);
        let sentence = fault.sentence();
        assert_eq!(name_other_form(fault).sentence(), sentence);
    }

    #[test]
    fn another_form_is_named_by_its_parameter() {
        let fault = Fault::new(Case::UnsupportedType, Origin::Page)
            .saying(Say::new("It is not text."))
            .other_form(OtherForm::MainText);
        assert_eq!(
            name_other_form(fault).sentence().as_str(),
            "It is not text. Repeat the call without mode=raw."
        );
    }
}
