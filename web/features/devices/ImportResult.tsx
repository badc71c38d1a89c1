import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { deviceEndpoints } from '#contract/devices.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { saveBlob } from '#web/api/download.ts';

export type Imported = ReplyOf<typeof deviceEndpoints.import>;

/** Numbers and secrets as a file, for entering them into the devices. */
const secretsCsv = ({ results }: Pick<Imported, 'results'>): string =>
  [
    'number,secret',
    ...results.flatMap(({ number, secret }) => (secret === null ? [] : [`${number},${secret}`])),
    '',
  ].join('\r\n');

/** The result of each row, refused ones first; secrets are shown only here. */
export const ImportResult = ({ result }: { result: Imported }) => {
  const { t } = useTranslation('devices');
  const refused = result.results.filter((row) => row.result === 'refused');
  const good = result.results.filter((row) => row.result === 'done');
  const hasSecrets = good.some(({ secret }) => secret !== null);
  return (
    <section aria-live="polite">
      <p>
        <strong>
          {result.preview
            ? t(($) => $.import.ready, { count: good.length })
            : t(($) => $.import.added, { count: result.added })}
        </strong>{' '}
        {refused.length > 0 && (
          <span className="is-alarm">{t(($) => $.import.refused, { count: refused.length })}</span>
        )}
      </p>
      {result.unread.length > 0 && (
        <ul className="plain-list import-unread">
          {result.unread.map(({ column, message }) => (
            <li key={column}>{message}</li>
          ))}
        </ul>
      )}
      {hasSecrets && (
        <p className="import-secrets">
          <strong>{t(($) => $.secret.once)}</strong>{' '}
          <Button
            type="primary"
            onClick={() =>
              saveBlob(new Blob([secretsCsv(result)], { type: 'text/csv' }), 'device-secrets.csv')
            }
          >
            {t(($) => $.import.save)}
          </Button>
        </p>
      )}
      <ul className="plain-list import-result">
        {[...refused, ...good].map((row) => (
          <li key={row.row}>
            <span className="tabular">
              <span className="soft">{t(($) => $.import.row, { row: row.row })}</span> {row.number}
            </span>
            {row.result === 'refused' ? (
              <span className="is-alarm">{row.message}</span>
            ) : row.secret === null ? (
              <span className="soft">{t(($) => $.import.fine)}</span>
            ) : (
              <code>{row.secret}</code>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};
