import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { ParameterValue } from '#contract/parameters.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';
import './protection-matrix.css';
import { type Cell, protectionsOf, type Stage, stages } from './protection-matrix.ts';
import { SettingInput } from './SettingInput.tsx';
import { SettingValue } from './SettingValue.tsx';
import { type Edits, editKey, flawText } from './setting-edits.ts';
import type { Setting, Settings } from './settings.query.ts';

interface Editing {
  edits: Edits;
  flaws: Readonly<Record<string, FaultCode>>;
  onEdit: (setting: Setting, value: ParameterValue | undefined) => void;
}

/**
 * All protections of all lines on one sheet. A value is typed in its place and sent with the others of the page; the
 * name of a line leads to all that it has.
 */
export const ProtectionMatrix = ({
  settings,
  editing,
  onPick,
}: {
  settings: Settings;
  /** Null where the reader may only look. */
  editing: Editing | null;
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
                    <Stages cells={lines.get(n) ?? {}} editing={editing} />
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

const Stages = ({ cells, editing }: { cells: Partial<Record<Stage, Cell>>; editing: Editing | null }) => {
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
                {editing ? <EditedCell cell={cell} editing={editing} /> : <CellValue cell={cell} />}
                {cell.setting.drift && <strong className="is-drift"> {t(($) => $.matrix.drift)}</strong>}
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
};

/** The value, and the default that it differs from. */
const CellValue = ({ cell: { setting, value, isOwn } }: { cell: Cell }) => {
  const plain = { ...setting, percent_of: null };
  return (
    <>
      <SettingValue setting={plain} value={value} />
      {isOwn && (
        <span className="protection-own">
          {' ≠ '}
          <SettingValue setting={plain} value={setting.default} />
        </span>
      )}
    </>
  );
};

/** A value that becomes a field when it is pressed, and stays one while something is typed in it. */
const EditedCell = ({ cell, editing }: { cell: Cell; editing: Editing }) => {
  const { t } = useTranslation('deviceSettings');
  const [pressed, setPressed] = useState(false);
  const { setting } = cell;
  const { edits, flaws, onEdit } = editing;
  const edited = edits[editKey(setting)];
  const flaw = flaws[editKey(setting)];
  if (!pressed && edited === undefined)
    return (
      <button
        type="button"
        className="text-button"
        title={t(($) => $.matrix.edit, { name: setting.name })}
        onClick={() => setPressed(true)}
      >
        <CellValue cell={cell} />
      </button>
    );
  return (
    <SettingInput
      setting={setting}
      value={edited}
      flaw={flaw ? flawText(setting, edited, flaw, currentLanguage()) : null}
      onChange={(value) => {
        setPressed(true);
        onEdit(setting, value);
      }}
    />
  );
};
