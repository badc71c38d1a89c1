import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { statisticsEndpoints } from '#contract/statistics.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#server/core/scope.ts';
import { headOf, instantOf } from './head.ts';
import { membersOf, naturalSplit } from './members.ts';
import { rangeOf } from './range.ts';
import { expectedSeconds, figureOf, rounded, sumsByBucket, sumsByLine, total } from './sums.ts';
import { type MeteredLine, targetOf } from './target.ts';

export interface Asker {
  db: Db;
  scope: Scope;
  now: number;
}
type Reply = ReplyOf<typeof statisticsEndpoints.energy>;
type Body = Omit<BodyOf<typeof statisticsEndpoints.energy>, 'page' | 'limit'>;

export const energyDetail = async (
  { db, scope, now }: Asker,
  body: Body,
  page: { page: number; limit: number },
): Promise<Reply> => {
  const target = await targetOf(db, scope, body);
  const range = rangeOf(body, target.zone, now);
  const { lines, supplied } = target;
  const [buckets, byLine, incoming] = await Promise.all([
    sumsByBucket(db, lines, range),
    sumsByLine(db, lines, range, range.zone),
    supplied &&
      sumsByLine(db, [...new Set([...supplied.incoming, ...supplied.lines])], range, range.zone).then(
        (sums) => {
          const of = (some: readonly MeteredLine[]) =>
            total(some.flatMap((line) => sums.get(line) ?? [])).kwh;
          const [incoming_kwh, lines_kwh] = [of(supplied.incoming), of(supplied.lines)];
          return {
            incoming_kwh: rounded(incoming_kwh),
            lines_kwh: rounded(lines_kwh),
            difference_kwh: rounded(incoming_kwh - lines_kwh),
          };
        },
      ),
  ]);
  const whole = total(byLine.values());
  const split = body.split ?? naturalSplit(target);
  const members = split === null ? [] : membersOf(lines, byLine, split);
  return {
    head: headOf(target, range),
    total: figureOf(whole, expectedSeconds(lines, range, now)),
    buckets: range.buckets.map((bucket, index) => ({
      at: instantOf(bucket.from),
      to: instantOf(bucket.to),
      ...figureOf(buckets[index]!, expectedSeconds(lines, bucket, now)),
    })),
    split,
    members: members.slice((page.page - 1) * page.limit, page.page * page.limit).map((member) => ({
      kind: member.kind,
      id: member.id,
      name: member.name,
      device_id: member.device_id,
      share: whole.kwh > 0 ? member.sums.kwh / whole.kwh : null,
      ...figureOf(member.sums, expectedSeconds(member.lines, range, now)),
    })),
    members_total: members.length,
    incoming,
    loss_kwh: whole.loss_kwh === null ? null : rounded(whole.loss_kwh),
  };
};
