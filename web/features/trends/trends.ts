import type { ReplyOf } from '#contract/endpoint.ts';
import type { trendEndpoints } from '#contract/trends.ts';

export type TrendRow = ReplyOf<typeof trendEndpoints.list>['list'][number];
export type TrendDetail = ReplyOf<typeof trendEndpoints.detail>;
