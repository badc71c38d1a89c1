import type { ColumnType, GeneratedAlways } from 'kysely';
import type { Instant } from './directory.ts';

type Value = ColumnType<boolean | number | string, string, string>;
export interface SettingEditsTable {
  id: GeneratedAlways<number>;
  name: string;
  at: Instant;
  user_id: number | null;
  operator: string;
  before: Value;
  after: Value;
}
