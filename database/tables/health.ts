import type { NodeFacts, NodeRole, ProblemCode } from '#contract/health.ts';
import type { Instant, Json } from './directory.ts';

export interface NodeReportsTable {
  node: string;
  name: string;
  role: NodeRole;
  version: string;
  started_at: Instant;
  seen_at: Instant;
  facts: Json<NodeFacts>;
}
export interface HealthProblemsTable {
  code: ProblemCode;
  subject: string;
  since: Instant;
  seen_at: Instant;
  told_at: Date | null;
  facts: Json<Record<string, number | string>>;
}
