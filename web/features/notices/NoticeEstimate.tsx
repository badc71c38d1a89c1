import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import type { BodyOf } from '#contract/endpoint.ts';
import { estimateDays, noticeEndpoints } from '#contract/notices.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';

/** Before saving: how many people the rule will reach, and how often. */
export const NoticeEstimate = ({ rule }: { rule: BodyOf<typeof noticeEndpoints.estimate> }) => {
  const { t } = useTranslation('notices');
  const { number } = useFormats();
  const given = useDeferredValue(JSON.stringify(rule));
  const { data } = useQuery(keptQuery(noticeEndpoints.estimate, JSON.parse(given) as typeof rule));
  if (!data) return <p className="notice-estimate" />;
  const perDay = data.alarms / estimateDays;
  return (
    <p className="notice-estimate" role="status">
      {rule.channel !== 'webhook' && <strong>{t(($) => $.estimate.people, { count: data.people })}</strong>}{' '}
      {t(($) => $.estimate.alarms, {
        count: data.alarms,
        perDay: number(perDay, perDay >= 10 || perDay === 0 ? 0 : 1),
      })}
    </p>
  );
};
