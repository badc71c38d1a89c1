import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import { Button, Segmented, Select } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type StatisticsPeriod, statisticsPeriods } from '#contract/statistics.ts';
import { DateField } from '#web/parts/DateField.tsx';
import { ProjectSelect } from './ProjectSelect.tsx';
import { energyScales, type Preset, presets, rangeOfPreset, stepped } from './search.ts';
import type { OfProject, StatisticsPlace } from './use-target.ts';
import { zonedFormats } from './zoned.ts';

interface ShownRange {
  first_day: string;
  last_day: string;
  running: boolean;
  time_zone: string;
  project_id: number | null;
}

/** Project, period, date and unit of the statistics; all in the address. */
export const RangeBar = ({
  place: { search, setSearch },
  project,
  shown,
  withUnit = false,
  children,
}: {
  place: StatisticsPlace;
  shown: ShownRange | undefined;
  withUnit?: boolean;
  children?: ReactNode;
} & OfProject) => {
  const { t } = useTranslation('statistics');
  const today = () =>
    zonedFormats('en-CA', shown?.time_zone ?? 'Asia/Shanghai').calendar(new Date().toISOString());
  const { period } = search;
  const step = (steps: 1 | -1) => {
    if (shown && period !== 'custom')
      setSearch({ date: stepped(period, shown.first_day, steps), page: undefined });
  };
  return (
    <search className="energy-range">
      {!project && (
        <ProjectSelect
          value={shown?.project_id ?? search.project_id}
          onChange={(project_id) =>
            setSearch(
              { project_id, part_id: undefined, device_id: undefined, line_id: undefined, page: undefined },
              { push: true },
            )
          }
        />
      )}
      <Segmented<StatisticsPeriod>
        aria-label={t(($) => $.range.period)}
        value={period}
        onChange={(next) =>
          setSearch({
            period: next,
            page: undefined,
            ...(next === 'custom'
              ? { first_day: shown?.first_day, last_day: shown?.last_day }
              : { first_day: undefined, last_day: undefined }),
          })
        }
        options={statisticsPeriods.map((value) => ({ value, label: t(($) => $.range[value]) }))}
      />
      {period === 'custom' ? (
        <>
          <DateField
            kind="date"
            aria-label={t(($) => $.range.first)}
            value={search.first_day}
            onChange={(day) => setSearch({ first_day: day })}
          />
          <DateField
            kind="date"
            aria-label={t(($) => $.range.last)}
            value={search.last_day}
            onChange={(day) => setSearch({ last_day: day })}
          />
        </>
      ) : (
        <div className={period === 'week' ? 'range-step range-week' : 'range-step'}>
          <Button
            icon={<LeftOutlined />}
            aria-label={t(($) => $.range.before)}
            disabled={!shown}
            onClick={() => step(-1)}
          />
          <DateField
            kind={period === 'day' ? 'date' : period}
            aria-label={t(($) => $.range.date)}
            value={search.date ?? shown?.first_day}
            onChange={(date) => setSearch({ date, page: undefined })}
          />
          <Button
            icon={<RightOutlined />}
            aria-label={t(($) => $.range.after)}
            disabled={!shown || shown.running}
            onClick={() => step(1)}
          />
        </div>
      )}
      <Select<Preset | null>
        aria-label={t(($) => $.range.preset)}
        placeholder={t(($) => $.range.preset)}
        value={null}
        popupMatchSelectWidth={false}
        onChange={(preset) =>
          preset !== null && setSearch({ ...rangeOfPreset(preset, today()), page: undefined })
        }
        options={presets.map((value) => ({ value, label: t(($) => $.range[value]) }))}
      />
      {withUnit && (
        <Select
          aria-label={t(($) => $.unit.label)}
          value={search.unit ?? 'auto'}
          onChange={(unit) => setSearch({ unit: unit === 'auto' ? undefined : unit })}
          options={[
            { value: 'auto', label: t(($) => $.unit.auto) },
            ...energyScales.map((value) => ({ value, label: t(($) => $.choice[value]) })),
          ]}
        />
      )}
      {children}
    </search>
  );
};
