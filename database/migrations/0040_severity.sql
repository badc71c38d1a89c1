-- The severity of an alarm follows from its type and level: one table, in the contract's catalogue of alarm types.
alter table alarm_types drop column severity;
