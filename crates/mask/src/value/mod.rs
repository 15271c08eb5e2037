//! What a value looks like on its own: a placeholder, code, prose, a password, a key.
//!
//! A name such as `password` says that a secret may follow; the value decides whether one does.
//! Most false positives of a masker are values like `required`, `${TOKEN}` or `config.password`, so
//! the exclusions matter as much as the recognisers.

mod chosen;
mod code;
mod drawn;
mod letters;
mod made;
mod ordinary;
mod placeholder;
mod prose;
mod scrambled;
mod technical;

pub(super) use self::chosen::{
    is_app_password, is_grouped, is_joined_words, is_numbered_words, is_one_time, is_password_like,
    is_strong, is_word_with_number,
};
pub(super) use self::code::{
    is_assignment, is_code, is_constant_name, is_field_tag, is_interpolated, is_pattern,
    is_secret_name, is_variable,
};
pub(super) use self::drawn::{is_drawn, is_marked, is_product_key};
pub(super) use self::made::{
    is_digest, is_id_and_secret, is_key_like, is_research_session, is_serial, is_uuid,
};
pub(super) use self::ordinary::{
    is_dotted_name, is_file_name, is_number_like, is_ordinary, is_scoped, is_small_constant,
    is_version,
};
pub(super) use self::placeholder::{are_stand_ins, is_placeholder, is_plain_word};
pub(super) use self::prose::{
    are_unrelated, is_label, is_passphrase, is_sentence, is_sentence_word,
};
pub(super) use self::scrambled::is_scrambled;
pub(super) use self::technical::{is_technical, words_of_name};

/// How much of a value is examined, in bytes. A longer value is judged by its beginning, which
/// keeps hostile text linear.
pub(super) const EXAMINED: usize = 256;
