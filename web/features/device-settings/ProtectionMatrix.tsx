import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { ParameterValue } from '#contract/parameters.ts';
import { useCan } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { EnableSwitch } from './EnableSwitch.tsx';
import './protection-matrix.css';
import { type EditedLimit, PlatformLimitForm } from './PlatformLimitForm.tsx';
import { type Cell, type LineProtection, protectionsOf, stages } from './protection-matrix.ts';
import { SettingInput } from './SettingInput.tsx';
import { SettingStand } from './SettingStand.tsx';
import { SettingValue } from './SettingValue.tsx';
import { type Edits, editKey, flawText } from './setting-edits.ts';
import {
  type Enable,
  type Enables,
  enablesQuery,
  type PlatformLimit,
  type Setting,
  type SettingLine,
  type Settings,
} from './settings.query.ts';

interface Editing {
  edits: Edits;
  flaws: Readonly<Record<string, FaultCode>>;
  onEdit: (setting: Setting, value: ParameterValue | undefined) => void;
}

/**
 * All protections of all lines on one sheet. A value of the device is edited in place and sent with the others
 * of the page; the function's switch and a limit of the platform are changed at once, by their own calls. The
 * name of a line links to all of its parameters.
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
  const mayConfigure = useCan('device.configure');
  const mayChangeLine = useCan('line.rename');
  const mayEditLimits = mayConfigure && mayChangeLine;
  const enables = useQuery(enablesQuery(settings.device_id)).data;
  const [edited, setEdited] = useState<EditedLimit | null>(null);
  const protections = useMemo(() => protectionsOf(settings, enables?.enables), [settings, enables]);
  if (protections.length === 0) return null;
  return (
    <section className="protection-sheet" aria-label={t(($) => $.matrix.title)}>
      <h3>{t(($) => $.matrix.title)}</h3>
      <p className="soft">{t(($) => $.matrix.legend)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="protection-frame" aria-label={t(($) => $.matrix.values)} tabIndex={0}>
        <table className="protection-matrix" aria-label={t(($) => $.matrix.values)}>
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
            {protections.map(({ code, enable, lines }) => (
              <tr key={code}>
                <th scope="row">
                  <AlarmTypeName code={code} />
                  {enable && enables && <ProtectionEnable enable={enable} shown={enables} />}
                </th>
                {settings.lines.map((line) => (
                  <td key={line.n}>
                    <LineCell
                      found={lines.get(line.n) ?? { stages: {}, platform: [] }}
                      line={line}
                      editing={editing}
                      onPlatform={mayEditLimits ? setEdited : null}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {edited && <PlatformLimitForm {...edited} onClose={() => setEdited(null)} />}
    </section>
  );
};

/** The function on or off: one switch for all lines, because the device has one. */
const ProtectionEnable = ({ enable, shown }: { enable: Enable; shown: Enables }) => {
  const { t } = useTranslation('deviceSettings');
  const { reported, desired, drift, state, name } = enable;
  const word = (on: unknown) =>
    on === true ? t(($) => $.on) : on === false ? t(($) => $.offWord) : t(($) => $.notReported);
  return (
    <div className="protection-enable">
      <span className="soft">{name}</span>
      <span>
        <EnableSwitch enable={enable} shown={shown} />{' '}
        <span className={drift ? 'is-drift' : undefined}>{word(reported)}</span>
      </span>
      {state !== 'none' && (state !== 'applied' || drift) && (
        <SettingStand standing={enable}>{word(desired)}</SettingStand>
      )}
    </div>
  );
};

const LineCell = ({
  found: { stages: cells, platform },
  line,
  editing,
  onPlatform,
}: {
  found: LineProtection;
  line: SettingLine;
  editing: Editing | null;
  onPlatform: ((edited: EditedLimit) => void) | null;
}) => {
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
      {platform.map((limit) => (
        <div key={limit.key}>
          <dt>
            {t(($) => $.matrix.stage[limit.role as 'deadband'])}
            <span className="protection-platform">{t(($) => $.matrix.platform)}</span>
          </dt>
          <dd className={limit.own === null ? undefined : 'is-own'}>
            {onPlatform ? (
              <button
                type="button"
                className="text-button"
                title={t(($) => $.matrix.edit, { name: limit.name })}
                onClick={() => onPlatform({ limit, line })}
              >
                <LimitValue limit={limit} />
              </button>
            ) : (
              <LimitValue limit={limit} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
};

const LimitValue = ({ limit }: { limit: PlatformLimit }) => {
  const plain = { ...limit, percent_of: null };
  return (
    <>
      <SettingValue setting={plain} value={limit.own ?? limit.inherited} />
      {limit.own !== null && <Default setting={plain} value={limit.inherited} />}
    </>
  );
};

const Default = ({
  setting,
  value,
}: {
  setting: Parameters<typeof SettingValue>[0]['setting'];
  value: unknown;
}) => (
  <span className="protection-own">
    {' ≠ '}
    <SettingValue setting={setting} value={value} />
  </span>
);

/** The value, and the default if it differs. */
const CellValue = ({ cell: { setting, value, isOwn } }: { cell: Cell }) => {
  const plain = { ...setting, percent_of: null };
  return (
    <>
      <SettingValue setting={plain} value={value} />
      {isOwn && <Default setting={plain} value={setting.default} />}
    </>
  );
};

/** A value that becomes a field when pressed, and stays one while it contains an edit. */
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
