import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { tagEndpoints } from '#contract/tags.ts';
import { useCan, useManagesProject } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { TagBadge } from '#web/values/TagBadge.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import './tags.css';
import { late } from '#web/parts/late.tsx';
import { deviceTagsQuery, projectTagsQuery, useLiveTags } from './tags.query.ts';

const TagDialog = late(async () => (await import('./TagDialog.tsx')).TagDialog);
const TagSetDialog = late(async () => (await import('./TagSetDialog.tsx')).TagSetDialog);

const search = z.object({ tags: z.enum(['standing', 'all']).catch('standing'), tag: optionalNumber });

/** Every tag on a device, its lines and its project; removed ones on request. */
export const DeviceTags = ({
  device,
}: {
  device: {
    device_id: number;
    number: string;
    name: string;
    project_id: number | null;
    project_name: string;
  };
}) => {
  const { t } = useTranslation('tags');
  const { colon } = useFormats();
  const [state, setSearch] = useUrlState(search);
  const may = useCan('tag.write');
  const wholeProject = useManagesProject(device.project_id ?? 0);
  const [setting, setSetting] = useState<'device' | 'project' | null>(null);
  const standing = state.tags === 'standing';
  useLiveTags();
  const own = useQuery(deviceTagsQuery(device.device_id, standing));
  const ofProject = useQuery({
    ...projectTagsQuery(device.project_id ?? 0, standing),
    enabled: device.project_id !== null,
  });
  const all = [
    ...(ofProject.data?.list ?? []).filter(({ on }) => on === 'project'),
    ...(own.data?.list ?? []),
  ];
  const picked = all.find(({ tag_id }) => tag_id === state.tag);
  return (
    <section className="panel">
      <h2>{t(($) => $.title)}</h2>
      <p className="soft">{t(($) => $.complement)}</p>
      <div className="tag-tools">
        <Segmented<'standing' | 'all'>
          aria-label={t(($) => $.title)}
          value={state.tags}
          onChange={(tags) => setSearch({ tags: tags === 'all' ? tags : undefined })}
          options={(['standing', 'all'] as const).map((value) => ({ value, label: t(($) => $.show[value]) }))}
        />
        {all.length > 0 && (
          <ExportButton
            endpoint={tagEndpoints.export}
            body={{ covering_device_id: device.device_id, standing }}
            fileName={`${t(($) => $.title)} ${device.number}`}
          />
        )}
        {may && <Button onClick={() => setSetting('device')}>{t(($) => $.set.onDevice)}</Button>}
        {may && wholeProject && device.project_id !== null && (
          <Button onClick={() => setSetting('project')}>{t(($) => $.set.onProject)}</Button>
        )}
      </div>
      <DataState
        query={own}
        also={[ofProject]}
        rows={4}
        // Without the answer for the project it is not known that there is none.
        isEmpty={() => all.length === 0 && (device.project_id === null || ofProject.data !== undefined)}
        empty={t(($) => (may ? $.noneYet : $.none))}
      >
        {() => (
          <ul className="plain-list">
            {all.map((tag) => (
              <li key={tag.tag_id} className="tag-row">
                <button
                  type="button"
                  className={`tag-button${tag.removed_at === null ? '' : ' is-removed'}`}
                  onClick={() => setSearch({ tag: tag.tag_id }, { push: true })}
                >
                  <TagBadge reason={tag.reason} owner={tag.owner} />
                </button>
                <span className="soft">
                  {t(($) => $.field.on[tag.on])}
                  {colon}
                  {tag.line_name || tag.device_number || tag.project_name}
                  {' · '}
                  <TimeText at={tag.set_at} />
                  {tag.removed_at !== null && ` · ${t(($) => $.removed)}`}
                  {tag.review_due && tag.removed_at === null && (
                    <strong className="is-alarm"> · {t(($) => $.reviewDue)}</strong>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </DataState>
      {setting === 'device' && (
        <TagSetDialog
          target={{ device_id: device.device_id }}
          name={`${device.name} ${device.number}`}
          onOpenLines={() => setSearch({ tab: 'lines', onekey: 'open', tags: undefined }, { push: true })}
          onClose={() => setSetting(null)}
        />
      )}
      {setting === 'project' && device.project_id !== null && (
        <TagSetDialog
          target={{ project_id: device.project_id }}
          name={device.project_name}
          onClose={() => setSetting(null)}
        />
      )}
      {picked && <TagDialog tag={picked} onClose={() => setSearch({ tag: undefined })} />}
    </section>
  );
};
