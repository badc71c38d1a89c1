import { PhoneOutlined } from '@ant-design/icons';
import { App, Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '#web/api/call.ts';
import { useCan } from '#web/api/session.ts';
import { useStoredForm } from '#web/parts/use-stored-form.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { withoutRepeats } from '#web/values/contacts.ts';
import { contactRule } from './contact-rule.ts';
import { type DeviceDetail, useReloadDevices } from './devices.query.ts';

interface Contact {
  name: string;
  phone: string;
}
interface Values {
  contacts: Contact[];
}
const slots = [0, 1, 2];

/** The contacts of this device: its own three, and the project's. */
export const ContactsTab = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const { message } = App.useApp();
  const reload = useReloadDevices();
  const may = useCan('device.write');
  const [form] = Form.useForm<Values>();
  const stored = { contacts: slots.map((slot) => device.contacts[slot] ?? { name: '', phone: '' }) };
  const { onTouched, sendWith } = useStoredForm(form, stored, device.revision);
  const { project_contact } = device;
  const reach = withoutRepeats([...device.contacts, project_contact]).filter(({ phone }) => phone !== '');

  const { busy, submit } = useSubmit(form, async (values: Values) => {
    await sendWith((revision) =>
      call(deviceEndpoints.contacts, {
        device_id: device.device_id,
        revision,
        contacts: values.contacts.filter(({ name, phone }) => name?.trim() || phone?.trim()),
      }),
    );
    void message.success(t(($) => $.contacts.done));
  });
  const save = async (values: Values) => {
    await submit(values);
    await reload();
  };
  return (
    <div className="device-panels">
      <section className="panel">
        <h2>{t(($) => $.contacts.title)}</h2>
        {may ? (
          <Form
            form={form}
            layout="vertical"
            initialValues={stored}
            onValuesChange={onTouched}
            onFinish={(values) => void save(values)}
          >
            {slots.map((slot) => (
              <fieldset key={slot} className="contact-slot">
                <legend>{t(($) => $.contacts.slot, { n: slot + 1 })}</legend>
                <Form.Item
                  name={['contacts', slot, 'name']}
                  label={t(($) => $.contacts.name)}
                  rules={[contactRule(slot, 'name')]}
                >
                  <Input autoComplete="off" />
                </Form.Item>
                <Form.Item
                  name={['contacts', slot, 'phone']}
                  label={t(($) => $.contacts.phone)}
                  rules={[contactRule(slot, 'phone')]}
                >
                  <Input autoComplete="off" inputMode="tel" maxLength={24} />
                </Form.Item>
              </fieldset>
            ))}
            <Button type="primary" loading={busy} onClick={() => form.submit()}>
              {t(($) => $.contacts.save)}
            </Button>
          </Form>
        ) : (
          reach.length === 0 && <p className="soft">{t(($) => $.contacts.none)}</p>
        )}
      </section>
      <section className="panel">
        <h2>{t(($) => $.contacts.call)}</h2>
        {reach.length === 0 && <p className="soft">{t(($) => $.contacts.none)}</p>}
        <ul className="plain-list">
          {reach.map(({ name, phone }) => (
            <li key={name + phone}>
              <span>{name}</span>
              <Button
                href={`tel:${phone}`}
                icon={<PhoneOutlined aria-hidden />}
                className="tabular contact-call"
              >
                {phone}
              </Button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
};
