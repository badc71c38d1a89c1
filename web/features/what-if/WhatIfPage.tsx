import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { triedCodes, triedKeysOf, whatIfEndpoints } from '#contract/what-if.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { FaultNotice } from '#web/parts/DataState.tsx';
import { Notice } from '#web/parts/Notice.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { TrialForm } from './TrialForm.tsx';
import { TrialProgress } from './TrialProgress.tsx';
import { TrialResult } from './TrialResult.tsx';
import { trialSearch } from './trial.ts';
import { useTrial } from './use-trial.ts';
import './what-if.css';

/**
 * How many alarms another limit, deadband or delay would have caused in the last days, and how to apply it.
 */
export const WhatIfPage = () => {
  const { t } = useTranslation('whatIf');
  const maySee = useCan('statistics.alarm');
  return maySee ? <WhatIf /> : <Notice title={t(($) => $.title)} text={t(($) => $.denied)} />;
};

const WhatIf = () => {
  const { t } = useTranslation('whatIf');
  const [search, setSearch] = useUrlState(trialSearch);
  const { project_id, device_id, line_id, value } = search;
  const type = search.type !== undefined && triedCodes.includes(search.type) ? search.type : triedCodes[0]!;
  const keys = triedKeysOf(type);
  const key = search.key !== undefined && keys.includes(search.key) ? search.key : keys[0]!;
  const place = line_id ?? device_id ?? project_id;
  const query = useQuery({
    ...endpointQuery(whatIfEndpoints.lines, {
      ...(line_id !== undefined ? { line_id } : device_id !== undefined ? { device_id } : { project_id }),
      typeNumber: type,
      key,
    }),
    enabled: place !== undefined,
  });
  const { run, start, cancel } = useTrial();
  const lines = query.data?.lines;
  const begin = (tried: number) => {
    if (lines && lines.length > 0)
      void start(
        { typeNumber: type, key, value: tried, days: Number(search.days) },
        lines.map((line) => line.line_id),
      );
  };
  // A copied address shows the same what-if again.
  const asked = `${place} ${type} ${key} ${search.days} ${value}`;
  const begun = useRef('');
  useEffect(() => {
    if (value === undefined || !lines || begun.current === asked) return;
    begun.current = asked;
    begin(value);
  });
  const isShown = run !== null && query.data !== undefined && value !== undefined;
  return (
    <div className="what-if">
      <PageHeader title={t(($) => $.title)} />
      <p className="soft what-if-text">{t(($) => $.text)}</p>
      <TrialForm
        search={{ ...search, type, key }}
        found={query.data}
        busy={run?.state === 'running'}
        onPlace={(project) =>
          setSearch({ project_id: project, device_id: undefined, line_id: undefined, line: undefined })
        }
        onChange={setSearch}
        onTry={(tried) => {
          begun.current = asked.replace(/\S+$/, String(tried));
          setSearch({ value: tried });
          begin(tried);
        }}
      />
      {query.error && <FaultNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.enabled === false && (
        <Alert className="what-if-notice" type="info" showIcon title={t(($) => $.switchedOff)} />
      )}
      {isShown && <TrialProgress run={run} onCancel={cancel} onAgain={() => begin(value)} />}
      {isShown && run.judged.length > 0 && (
        <TrialResult
          run={run}
          found={query.data}
          shownLine={search.line}
          onLine={(line) => setSearch({ line })}
          onChanged={() => void query.refetch()}
        />
      )}
    </div>
  );
};
