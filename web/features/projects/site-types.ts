import type { ReplyOf } from '#contract/endpoint.ts';
import type { projectEndpoints } from '#contract/projects.ts';

type Diagram = ReplyOf<typeof projectEndpoints.diagram>;
export type DiagramDevice = Diagram['devices'][number];
