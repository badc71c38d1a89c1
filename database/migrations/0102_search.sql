-- Indexes for the search: prefixes of numbers printed on a device or its SIM, parts of names, and phone
-- numbers.
create index devices_number_prefix on devices (number text_pattern_ops) where deleted_at is null;
create index devices_imei_prefix on devices (imei text_pattern_ops) where imei <> '';
create index devices_iccid_prefix on devices (iccid text_pattern_ops) where iccid <> '';
create index devices_contacts on devices using gin ((contacts::text) gin_trgm_ops) where contacts <> '[]';
create index lines_name_trgm on lines using gin (name gin_trgm_ops) where n > 0;
create index projects_phone on projects (contact_phone text_pattern_ops);
create index projects_contact on projects using gin (contact_name gin_trgm_ops);

create index lines_name on lines (name) where n > 0;

-- Each Chinese name in use, once: pinyin ('shenzhenwan'), its initials ('szw') and each pair of neighbouring
-- characters, because words of two characters have no trigram. The job `searchNames` fills the table. A name
-- that is no longer in use does no harm.
create table search_names (
  name text primary key,
  pinyin text not null,
  initials text not null,
  pairs text[] not null
);
create index search_names_pinyin on search_names using gin (pinyin gin_trgm_ops);
create index search_names_initials on search_names (initials text_pattern_ops);
create index search_names_pairs on search_names using gin (pairs);
