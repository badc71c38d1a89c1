import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { useAges } from '#web/values/line-ages.ts';
import { Quantity } from '#web/values/Quantity.tsx';
import { TagBadge } from '#web/values/TagBadge.tsx';
import './tags.css';
import { late } from '#web/parts/late.tsx';
import { deviceTagsQuery, isUnproven, projectTagsQuery, type StatedLine } from './tags.query.ts';

const TagDialog = late(async () => (await import('./TagDialog.tsx')).TagDialog);
const TagSetDialog = late(async () => (await import('./TagSetDialog.tsx')).TagSetDialog);

interface TaggedLine extends StatedLine {
  tags: readonly { tag_id: number; on: 'line' | 'device' | 'project'; reason: string; owner: string }[];
}

/** The tags that forbid closing a line, on the line, its device or project, and the button to set one on it. */
export const LineTags = ({
  line: loaded,
  uploadSeconds,
  projectId,
}: {
  line: TaggedLine;
  uploadSeconds: number;
  projectId: number | null;
}) => {
  const { t } = useTranslation('tags');
  const line = { ...loaded, ...useAges()(loaded, uploadSeconds) };
  const may = useCan('tag.write');
  const [picked, setPicked] = useState<number | null>(null);
  const [setting, setSetting] = useState(false);
  const chosen = line.tags.find(({ tag_id }) => tag_id === picked);
  const ofProject = chosen?.on === 'project' && projectId !== null;
  const tags = useQuery({
    ...(ofProject ? projectTagsQuery(projectId, true) : deviceTagsQuery(line.device_id, true)),
    enabled: chosen !== undefined,
  });
  const whole = tags.data?.list.find(({ tag_id }) => tag_id === picked);
  return (
    <>
      {line.tags.map((tag) => (
        <button key={tag.tag_id} type="button" className="tag-button" onClick={() => setPicked(tag.tag_id)}>
          <TagBadge reason={tag.reason} owner={tag.owner} />
        </button>
      ))}
      {line.tags.length > 0 && line.switchable && isUnproven(line) && (
        <p className="tag-live" role="alert">
          <strong>
            {t(($) => (line.state === 'closed' ? $.live.taggedLive : $.live.taggedUnknown), {
              line: line.name || String(line.n),
            })}
          </strong>{' '}
          <Quantity value={line.power} unit="W" stale={line.values_stale} />
        </p>
      )}
      {may && line.switchable && (
        <Button size="small" type="link" className="tag-set" onClick={() => setSetting(true)}>
          {t(($) => $.set.act)}
        </Button>
      )}
      {setting && (
        <TagSetDialog
          target={{ line_id: line.line_id }}
          name={line.name || String(line.n)}
          line={line}
          onClose={() => setSetting(false)}
        />
      )}
      {whole && <TagDialog tag={whole} onClose={() => setPicked(null)} />}
    </>
  );
};
