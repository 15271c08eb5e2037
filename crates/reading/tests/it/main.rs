//! The readers through their public interface. One binary, so that it links once.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod binary_formulas;
mod binary_office;
mod document;
mod encrypted;
mod formats;
mod html_tables;
mod labelled;
mod lists;
mod mail;
mod markup;
mod one_xml_file;
mod parts;
mod pdf;
mod pdf_fonts;
mod pdf_layout;
mod pdf_tables;
mod pdf_tags;
mod properties;
mod reference;
mod rich_text;
mod scans;
mod shown_text;
mod word_and_slides;
mod workbook;
