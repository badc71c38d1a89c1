import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Checkbox, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { tariffBandWords } from '#contract/statistics-columns.ts';
import { type TariffBand, type TariffContent, tariffBands } from '#contract/tariffs.ts';
import { useFormats } from '#web/i18n/format.ts';
import { NumberField } from '#web/parts/NumberField.tsx';
import { type DayKind, lists, type Season } from './tariff-draft.ts';

const mostPrice = 1_000_000;
const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;
/** 5 January 2026 is a Monday. */
const weekdayName = (language: string, weekday: number) =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2026, 0, 4 + weekday),
  );
const times = Array.from({ length: 97 }, (_, index) => {
  const minutes = index * 15;
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}).map((value) => ({ value, label: value }));

/** Seasons, kinds of days and periods of a tariff with their prices. */
export const TariffEditor = ({
  draft,
  onChange,
}: {
  draft: TariffContent;
  onChange: (draft: TariffContent) => void;
}) => {
  const { t } = useTranslation('statistics');
  const { seasons } = draft;
  const put = (change: Partial<TariffContent>) => onChange({ ...draft, ...change });
  return (
    <>
      <div className="tariff-row">
        <div className="tariff-field">
          <span aria-hidden>{t(($) => $.tariff.currency)}</span>
          <Input
            aria-label={t(($) => $.tariff.currency)}
            value={draft.currency}
            maxLength={3}
            onChange={(event) => put({ currency: event.target.value.toUpperCase() })}
          />
        </div>
        <div className="tariff-field">
          <span aria-hidden>{t(($) => $.tariff.co2)}</span>
          <NumberField
            aria-label={t(($) => $.tariff.co2)}
            unit="kg"
            min={0}
            max={10}
            digits={4}
            value={draft.co2_kg_per_kwh}
            onChange={(co2_kg_per_kwh) => put({ co2_kg_per_kwh })}
          />
        </div>
      </div>
      <div className="tariff-field">
        <span aria-hidden>{t(($) => $.tariff.holidays)}</span>
        <span className="soft">{t(($) => $.tariff.holidaysText)}</span>
        <Input.TextArea
          aria-label={t(($) => $.tariff.holidays)}
          rows={2}
          defaultValue={draft.holidays.join(', ')}
          onChange={(event) =>
            put({
              holidays: event.target.value
                .split(/[\s,，;]+/)
                .map((day) => day.trim())
                .filter((day) => day !== ''),
            })
          }
        />
      </div>
      {seasons.map((season, index) => (
        <SeasonFields
          // biome-ignore lint/suspicious/noArrayIndexKey: seasons have no identity but their place
          key={index}
          season={season}
          onChange={(changed) => put({ seasons: lists.replaced(seasons, index, changed) })}
          onRemove={seasons.length > 1 ? () => put({ seasons: lists.without(seasons, index) }) : undefined}
        />
      ))}
      <Button
        icon={<PlusOutlined />}
        onClick={() =>
          put({ seasons: [...seasons, { ...seasons.at(-1)!, name: t(($) => $.tariff.season) }] })
        }
      >
        {t(($) => $.tariff.addSeason)}
      </Button>
    </>
  );
};

const SeasonFields = ({
  season,
  onChange,
  onRemove,
}: {
  season: Season;
  onChange: (season: Season) => void;
  onRemove: (() => void) | undefined;
}) => {
  const { t, i18n } = useTranslation('statistics');
  const { colon } = useFormats();
  const put = (change: Partial<Season>) => onChange({ ...season, ...change });
  return (
    <fieldset className="tariff-season">
      <legend>{`${t(($) => $.tariff.season)}${colon}${season.name}`}</legend>
      <div className="tariff-row">
        <div className="tariff-field">
          <span aria-hidden>{t(($) => $.name)}</span>
          <Input
            aria-label={t(($) => $.name)}
            value={season.name}
            maxLength={40}
            onChange={(event) => put({ name: event.target.value })}
          />
        </div>
        <div className="tariff-field">
          <span aria-hidden>{t(($) => $.tariff.seasonFrom)}</span>
          <Input
            aria-label={t(($) => $.tariff.seasonFrom)}
            value={season.from}
            maxLength={5}
            placeholder="01-01"
            onChange={(event) => put({ from: event.target.value })}
          />
        </div>
        <div className="tariff-field">
          <span aria-hidden>{t(($) => $.tariff.seasonTo)}</span>
          <Input
            aria-label={t(($) => $.tariff.seasonTo)}
            value={season.to}
            maxLength={5}
            placeholder="12-31"
            onChange={(event) => put({ to: event.target.value })}
          />
        </div>
        {onRemove && (
          <Button icon={<DeleteOutlined />} onClick={onRemove}>
            {t(($) => $.tariff.removeSeason)}
          </Button>
        )}
      </div>
      <div className="tariff-row">
        {tariffBands.map((band) => (
          <div key={band} className="tariff-field">
            <span
              aria-hidden
            >{`${t(($) => $.tariff.prices)}${colon}${tariffBandWords[band][i18n.language as Language]}`}</span>
            <NumberField
              aria-label={`${t(($) => $.tariff.prices)}${colon}${tariffBandWords[band][i18n.language as Language]}`}
              unit=""
              min={0}
              max={mostPrice}
              digits={4}
              value={season.prices[band]}
              onChange={(price) => put({ prices: { ...season.prices, [band]: price } })}
            />
          </div>
        ))}
      </div>
      {season.days.map((day, index) => (
        <DayFields
          // biome-ignore lint/suspicious/noArrayIndexKey: kinds of days have no identity but their place
          key={index}
          day={day}
          onChange={(changed) => put({ days: lists.replaced(season.days, index, changed) })}
          onRemove={
            season.days.length > 1 ? () => put({ days: lists.without(season.days, index) }) : undefined
          }
        />
      ))}
      <Button
        size="small"
        icon={<PlusOutlined />}
        onClick={() =>
          put({ days: [...season.days, { ...season.days.at(-1)!, weekdays: [], holidays: false }] })
        }
      >
        {t(($) => $.tariff.addDays)}
      </Button>
    </fieldset>
  );
};

const DayFields = ({
  day,
  onChange,
  onRemove,
}: {
  day: DayKind;
  onChange: (day: DayKind) => void;
  onRemove: (() => void) | undefined;
}) => {
  const { t, i18n } = useTranslation('statistics');
  const { periods } = day;
  const put = (change: Partial<DayKind>) => onChange({ ...day, ...change });
  const last = periods.at(-1)!;
  return (
    <div className="tariff-days">
      <div className="tariff-row">
        {weekdays.map((weekday) => (
          <Checkbox
            key={weekday}
            checked={day.weekdays.includes(weekday)}
            onChange={({ target }) =>
              put({
                weekdays: target.checked
                  ? [...day.weekdays, weekday].sort()
                  : day.weekdays.filter((each) => each !== weekday),
              })
            }
          >
            {weekdayName(i18n.language, weekday)}
          </Checkbox>
        ))}
        <Checkbox checked={day.holidays} onChange={({ target }) => put({ holidays: target.checked })}>
          {t(($) => $.tariff.onHolidays)}
        </Checkbox>
        {onRemove && (
          <Button size="small" icon={<DeleteOutlined />} onClick={onRemove}>
            {t(($) => $.tariff.removeDays)}
          </Button>
        )}
      </div>
      {periods.map((period, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: periods have no identity but their place
        <div className="tariff-row" key={index}>
          <Select
            aria-label={t(($) => $.tariff.begin)}
            value={period.from}
            options={times}
            onChange={(from) => put({ periods: lists.replaced(periods, index, { ...period, from }) })}
          />
          <span aria-hidden>–</span>
          <Select
            aria-label={t(($) => $.tariff.end)}
            value={period.to}
            options={times}
            onChange={(to) => put({ periods: lists.replaced(periods, index, { ...period, to }) })}
          />
          <Select<TariffBand>
            aria-label={t(($) => $.tariff.band)}
            value={period.band}
            popupMatchSelectWidth={false}
            options={tariffBands.map((value) => ({
              value,
              label: tariffBandWords[value][i18n.language as Language],
            }))}
            onChange={(band) => put({ periods: lists.replaced(periods, index, { ...period, band }) })}
          />
          {periods.length > 1 && (
            <Button
              size="small"
              icon={<DeleteOutlined />}
              aria-label={`${t(($) => $.tariff.removePeriod)} ${period.from}`}
              onClick={() => put({ periods: lists.without(periods, index) })}
            />
          )}
        </div>
      ))}
      <Button
        size="small"
        icon={<PlusOutlined />}
        onClick={() => put({ periods: [...periods, { from: last.to, to: '24:00', band: 'flat' }] })}
      >
        {t(($) => $.tariff.addPeriod)}
      </Button>
    </div>
  );
};
