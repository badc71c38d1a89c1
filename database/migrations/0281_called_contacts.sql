-- The phone number of the contact whom a step or a reminder called, and when it began to: if it reaches nobody, the next contact is called.
alter table deliveries add column contact text, add column called_at timestamptz;
