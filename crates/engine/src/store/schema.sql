-- Records with a head and logs of rows. Counts are kept by triggers, so that making room costs the same with any number of records.
create table records (
    id integer primary key,
    tenant text not null,
    shelf text not null,
    key text not null,
    head text not null,
    version integer not null,
    changed integer not null,
    expires integer not null,
    unique (tenant, shelf, key)
);
create index records_by_change on records (tenant, shelf, changed, key);
create index records_by_end on records (expires);

create table entries (
    id integer primary key,
    record integer not null references records (id) on delete cascade,
    log text not null,
    number integer not null,
    row text not null,
    unique (record, log, number)
);

create table shelves (
    tenant text not null,
    shelf text not null,
    records integer not null,
    primary key (tenant, shelf)
) without rowid;
create trigger record_added after insert on records begin
    insert into shelves (tenant, shelf, records) values (new.tenant, new.shelf, 1)
    on conflict (tenant, shelf) do update set records = records + 1;
end;
create trigger record_removed after delete on records begin
    update shelves set records = records - 1 where tenant = old.tenant and shelf = old.shelf;
end;

-- When the turns that were given out are used up, in microseconds since 1970.
create table queues (
    name text primary key,
    booked integer not null
) without rowid;
