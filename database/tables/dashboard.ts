import type { Instant } from './directory.ts';

export interface DashboardLayoutsTable {
  user_id: number;
  panels: string[];
  page_size: 'full' | 'large';
  cycle_s: number;
  updated_at: Instant;
}
