import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { firmwareEndpoints } from '#contract/firmware.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import type { SigningKey } from './KeyDialog.tsx';

const KeyDialog = lateDialog(async () => (await import('./KeyDialog.tsx')).KeyDialog);

/** The accepted signing keys. */
export const KeysTab = ({ mayWrite }: { mayWrite: boolean }) => {
  const { t } = useTranslation('firmware');
  const { dateTime } = useFormats();
  useDialogsAhead(mayWrite && KeyDialog);
  const query = useQuery(endpointQuery(firmwareEndpoints.keys, {}));
  const [open, setOpen] = useState<SigningKey | 'new' | null>(null);
  return (
    <>
      <p className="soft">{t(($) => $.key.text)}</p>
      {mayWrite && <Button onClick={() => setOpen('new')}>{t(($) => $.key.add)}</Button>}
      <DataState
        query={query}
        rows={3}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.key.empty)}
      >
        {({ list }) => (
          <ul className="plain-list firmware-keys">
            {list.map((key) => (
              <li key={key.key_id}>
                <span className="firmware-lines">
                  <strong>{key.name}</strong>
                  <code>{key.public_key}</code>
                  <span className="soft">
                    {key.added_by} · <TimeText at={key.added_at} />
                    {key.revoked_at && ` · ${t(($) => $.key.revoked, { at: dateTime(key.revoked_at) })}`}
                  </span>
                </span>
                {mayWrite && key.revoked_at === null && (
                  <Button danger size="small" onClick={() => setOpen(key)}>
                    {t(($) => $.key.revoke)}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </DataState>
      {open && <KeyDialog subject={open} onClose={() => setOpen(null)} />}
    </>
  );
};
