-- A role's name is unique under its parent within one tenant: managers with the same role make roles under it, and must
-- not learn each other's names.
alter table roles drop constraint roles_name;
alter table roles add constraint roles_name unique nulls not distinct (parent_id, name, owner_id);
