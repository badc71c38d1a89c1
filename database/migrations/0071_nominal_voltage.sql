-- The nominal voltage that a device's readings fit where they do not fit the one that it is judged by; waits for an
-- operator. And the one that an operator has declined: it is not proposed again.
alter table devices add column proposed_voltage smallint, add column declined_voltage smallint;
