import { useQuery } from '@tanstack/react-query';
import { Alert, App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { BodyOf } from '#contract/endpoint.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { attempt } from '#web/api/attempt.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import type { LinesDevice } from './lines.query.ts';

/** No standard line-to-neutral voltage is this high. */
const betweenPhases = 380;
type Take = BodyOf<typeof lineEndpoints.setNominalVoltage>['take'];

/**
 * Shows that a device's readings fit another nominal voltage, and accepts or declines it. Nothing changes by
 * itself.
 */
export const NominalVoltage = ({ device }: { device: LinesDevice }) => {
  const { t } = useTranslation('lines');
  const { message } = App.useApp();
  const reload = useReload(lineEndpoints.nominalVoltage);
  const confirm = useConfirm();
  const prove = useProvenCall();
  const may = useCan('device.configure');
  const { device_id, name } = device;
  const { data } = useQuery(endpointQuery(lineEndpoints.nominalVoltage, { device_id }));
  if (!data || data.proposed_voltage === null) return null;
  const { nominal_voltage: nominal, proposed_voltage: proposed, project_devices: devices } = data;

  const set = async (take: Take) => {
    const sure =
      take === 'neither' ||
      (await confirm({
        title: t(($) => $.nominal.title, { proposed }),
        content: t(($) => (take === 'device' ? $.nominal.device : $.nominal.project), {
          name,
          nominal,
          proposed,
        }),
        okText: t(($) => $.nominal.use, { proposed }),
        danger: true,
      }));
    if (!sure) return;
    await attempt(async () => {
      const done = await prove(lineEndpoints.setNominalVoltage, { device_id, volts: proposed, take });
      if (done) void message.success(t(($) => $.nominal.done));
    });
    await reload();
  };
  return (
    <Alert
      className="lines-nominal"
      type="warning"
      showIcon
      title={t(($) => $.nominal.fits, { nominal, proposed })}
      description={
        <>
          <p>{t(($) => $.nominal.unchanged, { nominal })}</p>
          {proposed >= betweenPhases && <p>{t(($) => $.nominal.betweenPhases)}</p>}
          {may && (
            <div className="lines-nominal-acts">
              <Button size="small" onClick={() => void set('device')}>
                {t(($) => $.nominal.forDevice, { proposed })}
              </Button>
              {devices !== null && (
                <Button size="small" onClick={() => void set('project')}>
                  {t(($) => $.nominal.forProject, { proposed, count: devices })}
                </Button>
              )}
              <Button size="small" type="text" onClick={() => void set('neither')}>
                {t(($) => $.nominal.keep, { nominal })}
              </Button>
            </div>
          )}
        </>
      }
    />
  );
};
