-- The severity of an alarm follows from its type and level, in the alarm catalogue of the contract.
alter table alarm_types drop column severity;
