import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useCan } from '#web/api/session.ts';
import { late } from '#web/parts/late.tsx';
import { optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { SwitchDrawing } from '#web/values/SwitchAction.tsx';
import './one-key.css';
import { OneKeyDialog } from './OneKeyDialog.tsx';

const BatchDialog = late(async () => (await import('./BatchDialog.tsx')).BatchDialog);

const search = z.object({ onekey: optionalOf(['open', 'close']), batch: optionalText });

/** One-key open and close of all lines of the given devices; dialog and result are in the address. */
export const OneKeyButtons = ({
  deviceIds,
  online,
}: {
  deviceIds: readonly number[];
  /** Whether any of the devices is online: else nothing can be switched. */
  online: boolean;
}) => {
  const { t } = useTranslation('oneKey');
  const [{ onekey, batch }, setSearch] = useUrlState(search);
  const id = useId();
  const may = useCan('line.switch');
  const refusal = useCutRefusal() ?? (online ? null : t(($) => $.offline));
  return (
    <>
      {may &&
        (['open', 'close'] as const).map((action) => (
          <Button
            key={action}
            icon={<SwitchDrawing action={action} />}
            danger={action === 'close'}
            disabled={refusal !== null}
            aria-describedby={refusal === null ? undefined : id}
            onClick={() => setSearch({ onekey: action, batch: undefined }, { push: true })}
          >
            {t(($) => $[action].button)}
          </Button>
        ))}
      {may && refusal !== null && (
        <p id={id} className="one-key-refusal">
          {refusal}
        </p>
      )}
      {may && onekey && batch === undefined && (
        <OneKeyDialog
          key={onekey}
          deviceIds={deviceIds}
          action={onekey}
          onStarted={(batchId) => setSearch({ onekey: undefined, batch: batchId })}
          onClose={() => setSearch({ onekey: undefined })}
        />
      )}
      {batch !== undefined && <BatchDialog batchId={batch} onClose={() => setSearch({ batch: undefined })} />}
    </>
  );
};
