import { PrinterOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Descriptions, Drawer, Image } from 'antd';
import { useTranslation } from 'react-i18next';
import { alarmName } from '#contract/alarm-names.ts';
import { type MaintenanceRow, maintenanceEndpoints } from '#contract/maintenance.ts';
import { maintenanceKindWords } from '#contract/maintenance-words.ts';
import { endpointQuery } from '#web/api/query.ts';
import { imageAddress } from '#web/api/upload.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { TimeText } from '#web/values/TimeText.tsx';

/** One complete record, in its printed form. */
export const MaintenanceDrawer = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation('maintenance');
  useFocusBack();
  const query = useQuery(endpointQuery(maintenanceEndpoints.read, { record_id: id }));
  return (
    <Drawer
      open
      size={640}
      title={t(($) => $.record)}
      onClose={onClose}
      extra={
        <Button icon={<PrinterOutlined aria-hidden />} onClick={() => window.print()}>
          {t(($) => $.print)}
        </Button>
      }
    >
      <DataState query={query} rows={10}>
        {(record) => <RecordSheet record={record} />}
      </DataState>
    </Drawer>
  );
};

const RecordSheet = ({ record }: { record: MaintenanceRow }) => {
  const { t } = useTranslation('maintenance');
  const { list: listOf } = useFormats();
  const language = currentLanguage();
  const facts = [
    ['project', t(($) => $.column.project), record.project_name],
    ['kind', t(($) => $.column.kind), maintenanceKindWords[record.kind][language]],
    ['time', t(($) => $.column.time), <TimeText key="time" at={record.maintenance_time} />],
    [
      'device',
      t(($) => $.column.device),
      [record.device_number, record.device_name].filter(Boolean).join(' · ') || '—',
    ],
    [
      'lines',
      t(($) => $.column.lines),
      listOf(record.lines.map(({ n, name }) => `${n} ${name}`.trim())) || '—',
    ],
    ['address', t(($) => $.column.address), record.address || '—'],
    ['handler', t(($) => $.column.handler), `${record.handler_name} ${record.handler_phone}`],
    ['content', t(($) => $.column.content), record.content],
    ['fault', t(($) => $.column.fault), record.fault_content || '—'],
    ['result', t(($) => $.column.result), record.result || '—'],
    ['suggestion', t(($) => $.column.suggestion), record.suggestion || '—'],
    [
      'alarms',
      t(($) => $.column.alarms),
      record.alarms.length === 0
        ? '—'
        : record.alarms.map(({ id, work_order, typeNumber }) => (
            <span key={id} className="maintenance-alarm">
              <PathLink to={paths.alarm(id)}>{work_order}</PathLink> {alarmName(language, typeNumber)}
            </span>
          )),
    ],
    ['author', t(($) => $.column.author), record.author],
  ] as const;
  return (
    <div className="print-only-this maintenance-sheet">
      <h2>{t(($) => $.record)}</h2>
      <Descriptions
        bordered
        size="small"
        column={1}
        items={facts.map(([key, label, children]) => ({ key, label, children }))}
      />
      <Images title={t(($) => $.before)} ids={record.before_images} />
      <Images title={t(($) => $.after)} ids={record.after_images} />
    </div>
  );
};

const Images = ({ title, ids }: { title: string; ids: readonly string[] }) =>
  ids.length === 0 ? null : (
    <section>
      <h3>{title}</h3>
      <Image.PreviewGroup>
        <div className="maintenance-images">
          {ids.map((id, index) => (
            <Image key={id} src={imageAddress(id)} alt={`${title} ${index + 1}`} width={180} />
          ))}
        </div>
      </Image.PreviewGroup>
    </section>
  );
