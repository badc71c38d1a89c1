-- The nominal voltage that fits the readings of a device, if it differs from the present one; it waits for an
-- operator. A declined voltage is not proposed again.
alter table devices add column proposed_voltage smallint, add column declined_voltage smallint;
