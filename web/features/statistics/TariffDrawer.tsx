import { useQuery } from '@tanstack/react-query';
import { App, Button, Drawer, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { tariffBandWords } from '#contract/statistics-columns.ts';
import { type TariffContent, tariffBands } from '#contract/tariffs.ts';
import { attempt, refusalOf } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan, useManagesEveryProject, useManagesProject } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { DateField } from '#web/parts/DateField.tsx';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useUnsaved } from '#web/parts/use-unsaved.ts';
import { TariffEditor } from './TariffEditor.tsx';
import { blankTariff, flawsOf } from './tariff-draft.ts';

type Version = ReplyOf<typeof statisticsEndpoints.tariffs>['list'][number];
interface Draft {
  valid_from: string;
  revision: number | undefined;
  content: TariffContent;
}
type Of = 'project' | 'installation';
const currencies: Readonly<Record<string, string>> = { 'zh-CN': 'CNY', 'ru-RU': 'RUB', 'en-US': 'EUR' };

/**
 * The versions of a project's tariff, and those of the installation's tariff, which applies if a project has
 * none.
 */
export const TariffDrawer = ({
  projectId,
  projectName,
  onClose,
}: {
  projectId: number | null;
  projectName: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation('statistics');
  useFocusBack();
  const [of, setOf] = useState<Of>(projectId === null ? 'installation' : 'project');
  const [draft, setDraft] = useState<Draft | null>(null);
  const [changed, setChanged] = useState(false);
  const mayLeave = useUnsaved(() => changed);
  const everyProject = useManagesEveryProject();
  const wholeProject = useManagesProject(projectId ?? 0);
  const mayWrite = useCan('tariff.write') && (of === 'project' ? wholeProject : everyProject);
  const projectKey = of === 'project' && projectId !== null ? { project_id: projectId } : {};
  const query = useQuery(endpointQuery(statisticsEndpoints.tariffs, projectKey));
  const ofAll = useQuery(endpointQuery(statisticsEndpoints.tariffs, {})).data?.list[0]?.content.currency;
  const leave = async (then: () => void) => {
    if (changed && !(await mayLeave())) return;
    setChanged(false);
    then();
  };
  return (
    <Drawer
      open
      size={720}
      title={t(($) => $.tariff.title, {
        name: of === 'project' ? projectName : t(($) => $.tariff.installation),
      })}
      onClose={() => void leave(onClose)}
    >
      {projectId !== null && (
        <Segmented<Of>
          aria-label={t(($) => $.tariff.open)}
          value={of}
          onChange={(next) =>
            void leave(() => {
              setDraft(null);
              setOf(next);
            })
          }
          options={[
            { value: 'project', label: t(($) => $.tariff.own) },
            { value: 'installation', label: t(($) => $.tariff.all) },
          ]}
        />
      )}
      {draft ? (
        <DraftForm
          draft={draft}
          projectKey={projectKey}
          onDraft={(next) => {
            setDraft(next);
            setChanged(true);
          }}
          onDone={() => {
            setChanged(false);
            setDraft(null);
          }}
          onCancel={() => void leave(() => setDraft(null))}
        />
      ) : (
        <DataState query={query} rows={4}>
          {({ list }) => (
            <Versions list={list} of={of} currency={ofAll} mayWrite={mayWrite} onEdit={setDraft} />
          )}
        </DataState>
      )}
    </Drawer>
  );
};

const Versions = ({
  list,
  of,
  currency,
  mayWrite,
  onEdit,
}: {
  list: readonly Version[];
  of: Of;
  /** Currency of the installation's tariff. */
  currency: string | undefined;
  mayWrite: boolean;
  onEdit: (draft: Draft) => void;
}) => {
  const { t, i18n } = useTranslation('statistics');
  const { message } = App.useApp();
  const formats = useFormats();
  const confirm = useConfirm();
  const reload = useReloadTariffs();
  const remove = async ({ id, valid_from }: Version) => {
    const sure = await confirm({
      title: t(($) => $.tariff.removeAsk, { day: formats.day(valid_from) }),
      content: t(($) => $.tariff.removeText),
      okText: t(($) => $.tariff.remove),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      await call(statisticsEndpoints.removeTariff, { id });
      void message.success(t(($) => $.tariff.removed));
      await reload();
    });
  };
  const addNew = () =>
    onEdit({
      valid_from: `${new Date().getFullYear()}-01-01`,
      revision: undefined,
      content:
        list[0]?.content ??
        blankTariff(
          currency ?? currencies[i18n.language] ?? 'CNY',
          t(($) => $.tariff.season),
        ),
    });
  return (
    <>
      {list.length === 0 ? (
        <p className="empty-notice">{t(($) => (of === 'project' ? $.tariff.noneOwn : $.tariff.none))}</p>
      ) : (
        <ul className="plain-list" aria-label={t(($) => $.tariff.versions)}>
          {list.map((version) => (
            <li key={version.id}>
              <span>
                {t(($) => $.tariff.from)} {formats.day(version.valid_from)}{' '}
                <span className="soft">
                  {formats.list(version.content.seasons.map(({ name }) => name))} · {version.operator}
                </span>
              </span>
              {mayWrite && (
                <span className="nowrap">
                  <Button
                    size="small"
                    onClick={() =>
                      onEdit({
                        valid_from: version.valid_from,
                        revision: version.revision,
                        content: version.content,
                      })
                    }
                  >
                    {t(($) => $.tariff.edit)}
                  </Button>{' '}
                  <Button size="small" danger onClick={() => void remove(version)}>
                    {t(($) => $.tariff.remove)}
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <Button type="primary" onClick={addNew}>
          {t(($) => $.tariff.add)}
        </Button>
      )}
    </>
  );
};

const useReloadTariffs = () => useReload(statisticsEndpoints.tariffs, statisticsEndpoints.electricity);

const DraftForm = ({
  draft,
  projectKey,
  onDraft,
  onDone,
  onCancel,
}: {
  draft: Draft;
  projectKey: { project_id?: number };
  onDraft: (draft: Draft) => void;
  onDone: () => void;
  onCancel: () => void;
}) => {
  const { t, i18n } = useTranslation('statistics');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReloadTariffs();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const { colon } = useFormats();
  const language = i18n.language as Language;
  const { currency, co2, holidays, seasonFrom, seasonTo, season } = t(($) => $.tariff, {
    returnObjects: true,
  });
  const labels: Readonly<Record<string, string>> = {
    ...Object.fromEntries(tariffBands.map((band) => [band, tariffBandWords[band][language]])),
    ...{ currency, holidays, co2_kg_per_kwh: co2, from: seasonFrom, to: seasonTo, name: season },
  };
  /** The season of a flaw, if there are several, and its field. */
  const placeOf = (field: string): string => {
    const steps = field.split('.');
    const { seasons } = draft.content;
    const of = steps[0] === 'seasons' && seasons.length > 1 ? seasons[Number(steps[1])]?.name : undefined;
    const name = steps.includes('periods') ? undefined : steps.findLast((step) => !/^\d+$/.test(step));
    return [of, name && labels[name]].map((part) => (part ? part + colon : '')).join('');
  };
  const own = flawsOf(draft.content).map(
    ({ code, field, with: parameters }) =>
      placeOf(field) + sentence(code ?? 'field.form', language, parameters),
  );
  const flaws = own.length > 0 ? [...new Set(own)] : refused;
  const save = async () => {
    setBusy(true);
    const refusal = await refusalOf(async () => {
      await call(statisticsEndpoints.saveTariff, {
        ...projectKey,
        valid_from: draft.valid_from,
        ...(draft.revision === undefined ? {} : { revision: draft.revision }),
        content: draft.content,
      });
      void message.success(t(($) => $.tariff.saved));
      await reload();
      onDone();
    }).finally(() => setBusy(false));
    if (refusal) setRefused(Object.values(refusal.fields));
  };
  return (
    <>
      <div className="tariff-row">
        <div className="tariff-field">
          <span aria-hidden>{t(($) => $.tariff.from)}</span>
          <DateField
            kind="date"
            aria-label={t(($) => $.tariff.from)}
            value={draft.valid_from}
            // A version is identified by its day: another day means another version.
            onChange={(valid_from) => onDraft({ ...draft, valid_from, revision: undefined })}
          />
        </div>
      </div>
      <TariffEditor draft={draft.content} onChange={(content) => onDraft({ ...draft, content })} />
      {flaws.length > 0 && (
        <div className="tariff-flaws" role="status">
          {t(($) => $.tariff.flaws)}
          <ul>
            {flaws.map((flaw) => (
              <li key={flaw}>{flaw}</li>
            ))}
          </ul>
        </div>
      )}
      <div className="drawer-foot">
        <Button onClick={onCancel}>{tc(($) => $.dialog.cancel)}</Button>
        <Button type="primary" disabled={own.length > 0} loading={busy} onClick={() => void save()}>
          {tc(($) => $.dialog.save)}
        </Button>
      </div>
    </>
  );
};
