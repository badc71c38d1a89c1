import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';
import './protection-matrix.css';
import { type Cell, protectionsOf, type Stage, stages } from './protection-matrix.ts';
import { SettingValue } from './SettingValue.tsx';
import type { Settings } from './settings.query.ts';

/** All protections of all lines on one sheet; the name of a line leads to its values, where they are changed. */
export const ProtectionMatrix = ({
  settings,
  onPick,
}: {
  settings: Settings;
  onPick: (n: number) => void;
}) => {
  const { t } = useTranslation('deviceSettings');
  const protections = useMemo(() => protectionsOf(settings), [settings]);
  if (protections.length === 0) return null;
  return (
    <section className="protection-sheet" aria-label={t(($) => $.matrix.title)}>
      <h3>{t(($) => $.matrix.title)}</h3>
      <p className="soft">{t(($) => $.matrix.legend)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="protection-frame" aria-label={t(($) => $.matrix.values)} tabIndex={0}>
        <table className="protection-matrix">
          <thead>
            <tr>
              <th scope="col">{t(($) => $.matrix.protection)}</th>
              {settings.lines.map(({ n, name }) => (
                <th key={n} scope="col">
                  <button type="button" className="text-button" onClick={() => onPick(n)}>
                    {name === '' ? t(($) => $.line, { n }) : `${n} · ${name}`}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {protections.map(({ code, lines }) => (
              <tr key={code}>
                <th scope="row">
                  <AlarmTypeName code={code} />
                </th>
                {settings.lines.map(({ n }) => (
                  <td key={n}>
                    <Stages cells={lines.get(n) ?? {}} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
};

const Stages = ({ cells }: { cells: Partial<Record<Stage, Cell>> }) => {
  const { t } = useTranslation('deviceSettings');
  return (
    <dl className="protection-stages">
      {stages.map((stage) => {
        const cell = cells[stage];
        return (
          cell && (
            <div key={stage}>
              <dt>{t(($) => $.matrix.stage[stage])}</dt>
              <dd className={cell.isOwn ? 'is-own' : undefined}>
                <SettingValue setting={{ ...cell.setting, percent_of: null }} value={cell.value} />
                {cell.isOwn && (
                  <span className="protection-own">
                    {' ≠ '}
                    <SettingValue
                      setting={{ ...cell.setting, percent_of: null }}
                      value={cell.setting.default}
                    />
                  </span>
                )}
                {cell.setting.drift && <strong className="is-drift"> {t(($) => $.matrix.drift)}</strong>}
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
};
