import { useTranslation } from 'react-i18next';
import { phases } from '#contract/telemetry.ts';
import { Quantity } from '../../values/Quantity.tsx';
import type { Line } from './lines.query.ts';

const parts = ['l', 'm', 'c', 'n'] as const;

/** The values of a line: phases side by side where it has three. */
export const LineValues = ({ line, stale }: { line: Line; stale: boolean }) => {
  const { t } = useTranslation('lines');
  const { values } = line;
  const side = 'out.U.a' in values ? 'out.' : '';
  const three = phases.filter((phase) => values[`${side}U.${phase}`] !== undefined);
  const perPhase = three.length > 1;
  const temperatures = Object.entries(line.temperatures);
  const ofPhases = 'a' in line.temperatures;
  const labelOf = (place: string) => {
    const part = ofPhases && place === 'c' ? undefined : parts.find((each) => each === place);
    return t(($) => $.value.temperature, { at: part ? t(($) => $.part[part]) : place.toUpperCase() });
  };
  return (
    <>
      <dl className="line-values">
        {!perPhase && <Value label={t(($) => $.value.voltage)} value={line.voltage} unit="V" stale={stale} />}
        {!perPhase && <Value label={t(($) => $.value.current)} value={line.current} unit="A" stale={stale} />}
        <Value label={t(($) => $.value.power)} value={line.power} unit="W" stale={stale} />
        <Value label={t(($) => $.value.leakage)} value={line.leakage} unit="mA" stale={stale} />
        <Value label={t(($) => $.value.energy)} value={line.energy} unit="kWh" stale={stale} />
        {temperatures.map(([channel, value]) => (
          <Value key={channel} label={labelOf(channel)} value={value} unit="°C" stale={stale} />
        ))}
      </dl>
      {perPhase && (
        <table className="line-phases">
          <thead>
            <tr>
              <th scope="col">{t(($) => $.value.phase)}</th>
              {three.map((phase) => (
                <th key={phase} scope="col">
                  {phase.toUpperCase()}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(
              [
                ['U', 'voltage', 'V'],
                ['I', 'current', 'A'],
              ] as const
            ).map(([quantity, key, unit]) => (
              <tr key={quantity}>
                <th scope="row">{t(($) => $.value[key])}</th>
                {three.map((phase) => (
                  <td key={phase}>
                    <Quantity value={values[`${side}${quantity}.${phase}`]} unit={unit} stale={stale} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
};

const Value = ({
  label,
  value,
  unit,
  stale,
}: {
  label: string;
  value: number | null;
  unit: string;
  stale: boolean;
}) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <Quantity value={value} unit={unit} stale={stale} />
    </dd>
  </div>
);
