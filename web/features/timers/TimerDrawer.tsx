import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Checkbox, Form, Radio, Segmented, Select, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timerEndpoints, weekdays } from '#contract/timers.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { QueryNotice } from '#web/parts/DataState.tsx';
import { DateField } from '#web/parts/DateField.tsx';
import { DevicePicker } from '#web/parts/DevicePicker.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { SwitchAction } from '#web/values/SwitchAction.tsx';
import { TimerDays } from './TimerDays.tsx';
import { type AddBody, bodyOf, ruleOf, type TimerValues, valuesOf, workdays } from './timer-form.ts';
import { conflict } from './timer-week.ts';
import { allTimersQuery, type Timer, timerLinesQuery, useTimersChanged } from './timers.query.ts';
import { useWeekdayNames } from './weekday-names.ts';

const rule = zodRule(timerEndpoints.add.body, bodyOf);

/** Adds or edits a timer: shows the zone, the consequence, and conflicting timers. */
export const TimerDrawer = ({
  timer,
  start,
  onClose,
}: {
  /** The timer to edit; null: a new one. */
  timer: Timer | null;
  start: Pick<TimerValues, 'device_id' | 'line_id'>;
  onClose: () => void;
}) => {
  const { t } = useTranslation('timers');
  const [form] = Form.useForm<TimerValues>();
  const [newer, setNewer] = useState<Timer | null>(null);
  const changed = useTimersChanged();
  const prove = useProvenCall();
  const basis = useBasis(Form.useWatch([], form));
  const cut = useCutRefusal();

  const save = async (values: TimerValues) => {
    const body = bodyOf(values) as AddBody;
    try {
      const { line_id: _, ...rest } = body;
      const saved = timer
        ? await prove(timerEndpoints.edit, {
            ...rest,
            timer_id: timer.timer_id,
            revision: (newer ?? timer).revision,
          })
        : await prove(timerEndpoints.add, body);
      if (!saved) return false;
    } catch (error) {
      if (timer !== null && error instanceof Fault && error.status === 409) {
        const now = await call(timerEndpoints.read, { timer_id: timer.timer_id });
        if (now.revision !== (newer ?? timer).revision) setNewer(now);
      }
      throw error;
    }
    void changed();
    return true;
  };
  const initial: Partial<TimerValues> = timer
    ? valuesOf(timer)
    : { type: 'weekly', days: [...workdays], run_by: 'server', enabled: true, ...start };
  return (
    <FormDrawer
      open
      title={t(($) => (timer ? $.edit.title : $.add.title))}
      form={form}
      initial={initial}
      refusal={cut ?? (basis.isUnknown ? t(($) => $.basisUnknown) : null)}
      onSave={save}
      onClose={onClose}
    >
      {newer && (
        <Alert
          type="warning"
          showIcon
          className="timer-notice"
          title={t(($) => $.edit.changed, { author: newer.author })}
          description={
            <>
              <p>
                <SwitchAction action={newer.action} /> {newer.time} · <TimerDays timer={newer} />
              </p>
              <Button size="small" onClick={() => form.setFieldsValue(valuesOf(newer))}>
                {t(($) => $.edit.takeTheirs)}
              </Button>
            </>
          }
        />
      )}
      <Fields timerId={timer?.timer_id ?? null} basis={basis} />
    </FormDrawer>
  );
};

/** The lines of the chosen device, and the other timers of the chosen line: what a timer is set with regard to. */
const useBasis = (values: Partial<TimerValues> | undefined) => {
  const lines = useQuery({
    ...timerLinesQuery(values?.device_id ?? 0),
    enabled: values?.device_id !== undefined,
  });
  const others = useQuery({
    ...allTimersQuery({ line_id: values?.line_id ?? 0 }),
    enabled: values?.line_id !== undefined,
  });
  return { values, lines, others, isUnknown: lines.isError || others.isError };
};

const Fields = ({
  timerId,
  basis: { values, lines, others },
}: {
  timerId: number | null;
  basis: ReturnType<typeof useBasis>;
}) => {
  const { t } = useTranslation('timers');
  const names = useWeekdayNames();
  const form = Form.useFormInstance<TimerValues>();
  const deviceId = values?.device_id;
  const written = ruleOf(values ?? {});
  const against = (others.data?.list ?? []).filter(
    (other) =>
      written && other.timer_id !== timerId && other.enabled && !other.done && conflict(written, other),
  );
  const line = lines.data?.lines.find(({ line_id }) => line_id === values?.line_id);
  const holdsNone = lines.data !== undefined && lines.data.held_most === 0;
  return (
    <>
      <Form.Item name="device_id" label={t(($) => $.field.device)} required>
        <DevicePicker
          label={t(($) => $.field.device)}
          disabled={timerId !== null}
          onChange={() => form.setFieldsValue({ line_id: undefined as never })}
        />
      </Form.Item>
      <Form.Item name="line_id" label={t(($) => $.field.line)} required rules={[rule('line_id')]}>
        <Select
          disabled={timerId !== null || deviceId === undefined}
          loading={lines.isFetching}
          options={(lines.data?.lines ?? []).map(({ line_id, n, name, critical }) => ({
            value: line_id,
            label: `${n} · ${name}${critical ? ` (${t(($) => $.critical)})` : ''}`,
          }))}
        />
      </Form.Item>
      <QueryNotice query={lines} />
      <Form.Item name="action" label={t(($) => $.field.action)} required rules={[rule('action')]}>
        <Radio.Group
          options={(['open', 'close'] as const).map((value) => ({
            value,
            label: <SwitchAction action={value} />,
          }))}
        />
      </Form.Item>
      {values?.action && line && (
        <p className={`timer-consequence is-${values.action}`}>
          {t(($) => $.consequence[values.action!], { line: line.name || String(line.n) })}
        </p>
      )}
      <Form.Item name="type" label={t(($) => $.field.type)}>
        <Segmented
          options={(['weekly', 'once'] as const).map((value) => ({ value, label: t(($) => $.type[value]) }))}
        />
      </Form.Item>
      {values?.type === 'once' ? (
        <Form.Item name="date" label={t(($) => $.field.date)} required rules={[rule('date')]}>
          <DateField kind="date" />
        </Form.Item>
      ) : (
        <Form.Item
          name="days"
          label={t(($) => $.field.days)}
          required
          rules={[rule('w1')]}
          extra={
            <>
              <Button type="link" size="small" onClick={() => form.setFieldsValue({ days: [...workdays] })}>
                {t(($) => $.workdays)}
              </Button>
              <Button type="link" size="small" onClick={() => form.setFieldsValue({ days: [...weekdays] })}>
                {t(($) => $.everyDay)}
              </Button>
            </>
          }
        >
          <Checkbox.Group options={weekdays.map((value) => ({ value, label: names[value] }))} />
        </Form.Item>
      )}
      <Form.Item
        name="time"
        label={t(($) => $.field.time)}
        required
        rules={[rule('time')]}
        extra={lines.data && t(($) => $.zone, { zone: lines.data.time_zone })}
      >
        <DateField kind="time" />
      </Form.Item>
      <QueryNotice query={others} />
      {against.map((other) => (
        <Alert
          key={other.timer_id}
          type="warning"
          showIcon
          className="timer-notice"
          title={t(($) => $.conflict.with)}
          description={
            <>
              <SwitchAction action={other.action} /> {other.time} · <TimerDays timer={other} />
            </>
          }
        />
      ))}
      <Form.Item
        name="run_by"
        label={t(($) => $.field.runBy)}
        extra={
          holdsNone
            ? t(($) => $.holdsNone)
            : lines.data && t(($) => $.held, { held: lines.data.held, most: lines.data.held_most })
        }
      >
        <Radio.Group
          options={(['server', 'device'] as const).map((value) => ({
            value,
            label: t(($) => $.runBy[value]),
            disabled: value === 'device' && holdsNone,
          }))}
        />
      </Form.Item>
      <Form.Item name="enabled" label={t(($) => $.field.enabled)} valuePropName="checked">
        <Switch />
      </Form.Item>
    </>
  );
};
