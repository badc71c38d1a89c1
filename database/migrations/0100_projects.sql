-- Indexes for a list of ten thousand projects, and a second address field for the place within the street
-- address.
alter table projects add column detailed_address text not null default '';
create index projects_by_name on projects (name, id) where deleted_at is null;
create index projects_joined on projects (joined_at, id) where deleted_at is null;
