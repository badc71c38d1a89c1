import { useQuery } from '@tanstack/react-query';
import { QRCode } from 'antd';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { deviceEndpoints } from '#contract/devices.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PrintButton } from '#web/parts/PrintButton.tsx';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import './panel-codes.css';

const side = 160;
const search = z.object({ device_id: optionalNumber, project_id: optionalNumber });

/** QR codes for panels, of one device or a project: each leads a phone to the lines of its device. */
export const PanelCodesPage = () => {
  const { t } = useTranslation('devices');
  const [of] = useUrlState(search);
  const query = useQuery(endpointQuery(deviceEndpoints.codes, of));
  return (
    <>
      <PageHeader title={t(($) => $.codes.title)}>
        <PrintButton />
      </PageHeader>
      <p className="soft no-print">{t(($) => $.codes.text)}</p>
      <DataState
        query={query}
        rows={8}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.codes.none)}
      >
        {({ list, total }) => (
          <>
            {total > list.length && (
              <p className="is-early no-print">
                {t(($) => $.codes.cut, { shown: list.length, count: total })}
              </p>
            )}
            <ul className="plain-list panel-codes">
              {list.map(({ device_id, name, number, url }) => (
                <li key={device_id}>
                  <span aria-hidden>
                    <QRCode type="svg" value={url} size={side} color="#000" bgColor="#fff" errorLevel="M" />
                  </span>
                  <strong>{name}</strong>
                  <span className="tabular">{number}</span>
                  <span className="panel-codes-address">
                    {url.slice(0, url.lastIndexOf('/') + 1)}
                    {/* The line ends here, not inside the number. */}
                    <wbr />
                    {url.slice(url.lastIndexOf('/') + 1)}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </DataState>
    </>
  );
};
