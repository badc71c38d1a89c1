import type { Generated } from 'kysely';
import type { Instant } from './directory.ts';

export interface PersonsTable {
  id: Generated<number>;
  name: string;
  mobile: string;
  position: Generated<string>;
  note: Generated<string>;
  created_at: Instant;
  revision: Generated<number>;
}
export interface PersonProjectsTable {
  person_id: number;
  project_id: number;
}
