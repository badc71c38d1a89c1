import type { Generated } from 'kysely';
import type { Instant } from './directory.ts';

export interface ContentsTable {
  id: Generated<number>;
  title: string;
  content: string;
  enabled: Generated<boolean>;
  created_by: number | null;
  created_at: Instant;
  updated_at: Instant;
  revision: Generated<number>;
}
export interface CategoriesTable {
  id: Generated<number>;
  name: string;
  icon_id: string;
  description: Generated<string>;
  enabled: Generated<boolean>;
  created_at: Instant;
  revision: Generated<number>;
}
export interface FeedbackTable {
  id: Generated<number>;
  user_id: number;
  project_id: number | null;
  type: string;
  contact: Generated<string>;
  content: string;
  at: Instant;
  reply: Generated<string | null>;
  replied_at: Generated<Date | null>;
  replied_by: Generated<number | null>;
}
