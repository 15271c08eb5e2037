-- Everything that was read, and a word index over it. The index holds no text of its own: rows are joined by id.
create table pages (
    id integer primary key,
    url text not null unique,
    title text not null,
    text text not null,
    published text,
    seen integer not null
);
create index pages_by_age on pages (seen);
create virtual table page_words using fts5 (title, text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
