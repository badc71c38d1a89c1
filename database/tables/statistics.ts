import type { ColumnType, Generated } from 'kysely';
import type { TariffContent } from '#contract/tariffs.ts';
import type { Instant } from './directory.ts';

/** Manual energy corrections: rows are only added. */
export interface EnergyCorrectionsTable {
  id: Generated<number>;
  line_id: number;
  project_id: number | null;
  from_at: Instant;
  to_at: Instant;
  before_kwh: number;
  after_kwh: number;
  reason: string;
  undoes: number | null;
  user_id: number;
  operator: string;
  created_at: Instant;
}
export interface EnergyCorrectionPartsTable {
  line_id: number;
  bucket: Instant;
  correction_id: number;
  kwh: number;
}
/** Price and emissions of a kilowatt-hour from a day on. Without a project: for the whole installation. */
export interface TariffsTable {
  id: Generated<number>;
  project_id: number | null;
  valid_from: string;
  content: ColumnType<TariffContent, string, string>;
  operator: string;
  updated_at: Instant;
  revision: Generated<number>;
}
