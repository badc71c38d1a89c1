import { useTranslation } from 'react-i18next';
import { limitsAt } from '#contract/limit-closeness.ts';
import { phases } from '#contract/telemetry.ts';
import { Gauge } from '#web/values/Gauge.tsx';
import { Quantity } from '#web/values/Quantity.tsx';
import type { Line } from './lines.query.ts';

const parts = ['l', 'm', 'c', 'n'] as const;
type Place = 'a' | 'b' | 'c' | 'n';

/** The values of a line with their limits, phases side by side if it has three. */
export const LineValues = ({ line, stale }: { line: Line; stale: boolean }) => {
  const { t } = useTranslation('lines');
  const { values } = line;
  const side = 'out.U.a' in values ? 'out.' : '';
  const three = phases.filter((phase) => values[`${side}U.${phase}`] !== undefined);
  const perPhase = three.length > 1;
  // Temperatures of the phases are in the table of the phases.
  const temperatures = Object.keys(line.temperatures).filter(
    (place) => !(perPhase && 'a' in line.temperatures) || !'abcn'.includes(place),
  );
  const labelOf = (place: string) => {
    const part = parts.find((each) => each === place);
    return t(($) => $.value.temperature, { at: part ? t(($) => $.part[part]) : place.toUpperCase() });
  };
  const one = { line, stale };
  return (
    <>
      <dl className="line-values">
        {!perPhase && (
          <>
            {side !== '' && <Value {...one} label={t(($) => $.value.voltageIn)} channel="in.U.a" unit="V" />}
            <Value {...one} label={t(($) => $.value.voltage)} channel={`${side}U.a`} unit="V" />
            {side !== '' && <Value {...one} label={t(($) => $.value.currentIn)} channel="in.I.a" unit="A" />}
            <Value {...one} label={t(($) => $.value.current)} channel={`${side}I.a`} unit="A" />
          </>
        )}
        <Value {...one} label={t(($) => $.value.power)} channel={`${side}P.t`} unit="W" />
        {side !== '' && <Value {...one} label={t(($) => $.value.powerIn)} channel="in.P.t" unit="W" />}
        <Value
          {...one}
          label={t(($) => $.value.powerFactor)}
          channel={`${side}PF.t`}
          unit=""
          digits={powerFactorDigits}
        />
        <Value {...one} label={t(($) => $.value.frequency)} channel="F" unit="Hz" />
        <Value {...one} label={t(($) => $.value.leakage)} channel="IL" unit="mA" />
        <div>
          <dt>{t(($) => $.value.energy)}</dt>
          <dd>
            <Quantity value={line.energy} unit="kWh" stale={stale} />
          </dd>
        </div>
        {temperatures.map((place) => (
          <Value key={place} {...one} label={labelOf(place)} channel={`T.${place}`} unit="°C" />
        ))}
      </dl>
      {perPhase && <Phases {...one} three={three} side={side} />}
    </>
  );
};

const powerFactorDigits = 2;

/** A filter's input, above its output. */
const inputRows = [
  { quantity: 'U', key: 'voltageIn', unit: 'V' },
  { quantity: 'I', key: 'currentIn', unit: 'A' },
  { quantity: 'P', key: 'powerIn', unit: 'W' },
] as const;
const rows = [
  { quantity: 'U', key: 'voltage', unit: 'V' },
  { quantity: 'I', key: 'current', unit: 'A' },
  { quantity: 'P', key: 'power', unit: 'W' },
  { quantity: 'T', key: 'temperatureOf', unit: '°C' },
] as const;

/** One column for each phase and the neutral; a filter's input above its output. */
const Phases = ({
  line,
  stale,
  three,
  side,
}: {
  line: Line;
  stale: boolean;
  three: readonly Place[];
  side: string;
}) => {
  const { t } = useTranslation('lines');
  const known = (channel: string) => line.values[channel] !== undefined;
  const columns: readonly Place[] = [
    ...three,
    ...(known(`${side}I.n`) || known('T.n') ? (['n'] as const) : []),
  ];
  const channelOf = (quantity: string, place: Place) =>
    quantity === 'T' ? `T.${place}` : `${side}${quantity}.${place}`;
  const shown = rows.filter(({ quantity }) => known(channelOf(quantity, 'a')));
  const rated = line.rated_current;
  return (
    <table className="line-phases" aria-label={t(($) => $.value.phase)}>
      <thead>
        <tr>
          <th scope="col">{t(($) => $.value.phase)}</th>
          {columns.map((place) => (
            <th key={place} scope="col">
              {place.toUpperCase()}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {side !== '' &&
          inputRows.map(({ quantity, key, unit }) => (
            <tr key={key}>
              <th scope="row">{t(($) => $.value[key])}</th>
              {columns.map((place) => (
                <Cell key={place} line={line} stale={stale} channel={`in.${quantity}.${place}`} unit={unit} />
              ))}
            </tr>
          ))}
        {shown.map(({ quantity, key, unit }) => (
          <tr key={quantity}>
            <th scope="row">{t(($) => $.value[key])}</th>
            {columns.map((place) => (
              <Cell
                key={place}
                line={line}
                stale={stale}
                channel={channelOf(quantity, place)}
                unit={unit}
                rating={quantity === 'I' ? rated : null}
              />
            ))}
          </tr>
        ))}
        {rated !== null && (
          <tr>
            <th scope="row">
              {t(($) => $.value.ofRated)} <Quantity value={rated} unit="A" digits={0} />
            </th>
            {columns.map((place) => (
              <td key={place}>
                <Share current={line.values[`${side}I.${place}`]} rated={rated} stale={stale} />
              </td>
            ))}
          </tr>
        )}
      </tbody>
    </table>
  );
};

/** The present limits of a channel. */
const limitsOf = ({ limits, state }: Line, channel: string) => {
  const all = limits[channel];
  return all && limitsAt(all, state);
};

interface Shown {
  line: Line;
  channel: string;
  unit: string;
  stale: boolean;
  rating?: number | null;
  digits?: number;
}
const Cell = ({ line, channel, unit, stale, rating = null }: Shown) => {
  const value = line.values[channel];
  return (
    <td>
      {value !== undefined && <Quantity value={value} unit={unit} stale={stale} />}
      <Gauge value={value} limits={limitsOf(line, channel)} rating={rating} unit={unit} stale={stale} />
    </td>
  );
};

/** Load as a share of the line's rated current. */
const Share = ({
  current,
  rated,
  stale,
}: {
  current: number | null | undefined;
  rated: number;
  stale: boolean;
}) =>
  current === undefined ? null : (
    <Quantity value={current === null ? null : (100 * current) / rated} unit="%" stale={stale} />
  );

const Value = ({ label, line, channel, unit, stale, digits }: Shown & { label: string }) => {
  const { t } = useTranslation('lines');
  const value = line.values[channel] ?? null;
  const rated = ['I.a', 'out.I.a'].includes(channel) ? line.rated_current : null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Quantity value={value} unit={unit} stale={stale} {...(digits === undefined ? {} : { digits })} />
        <Gauge value={value} limits={limitsOf(line, channel)} rating={rated} unit={unit} stale={stale} />
        {rated !== null && value !== null && (
          <span className="line-share">
            <Share current={value} rated={rated} stale={stale} /> {t(($) => $.value.ofRated)}{' '}
            <Quantity value={rated} unit="A" digits={0} />
          </span>
        )}
      </dd>
    </div>
  );
};
