import { expect, it } from 'vitest';
import { webhookBody } from '#contract/webhook.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { passes, raise, outcomes, add, webhook, subscribe, device } = house;

const bodies = () => house.service.heard.map(({ body }) => webhookBody.parse(JSON.parse(utf8(body))));
const utf8 = (body: string) => Buffer.from(body, 'latin1').toString();

it('sends every alarm of severity 1 and 2 in a flood, and withholds the others', async () => {
  await webhook();
  const one = await device({ lines: 1 });
  const weak: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    weak.push(await raise(await device(), { code: 802, level: 1, severity: 4 }));
    if (n % 4 === 3) await passes(1000);
  }
  const minor = await raise(await device(), { code: 206, severity: 4 });
  const hot = await raise(one, { code: 401, severity: 1 });
  const high = await raise(await device(), { code: 201, severity: 2 });
  await passes(1000);
  const arc = await raise(await device(), { code: 501, severity: 1 });
  await passes(1000);
  expect(await outcomes(minor)).toEqual(['raised webhook suppressed flood']);
  expect(await outcomes(hot)).toEqual(['raised webhook accepted']);
  expect(await outcomes(arc)).toEqual(['raised webhook accepted']);
  expect(await outcomes(high)).toEqual(['raised webhook suppressed grouped']);
  const grave = bodies()
    .flatMap(({ list }) => list)
    .filter(({ severity }) => severity <= 2);
  expect(grave.map(({ alarm_id }) => alarm_id)).toEqual([hot, high, arc]);
});

it('names every alarm of a grouped message, in the webhook and in the console', async () => {
  await webhook();
  await subscribe(house.operator, '/push/desk');
  await add(house.operator, {
    channel: 'app',
    user_ids: [house.operator.userId],
    project_ids: [house.project.id],
  });
  const devices = [await device(), await device(), await device()];
  const ids = [
    await raise(devices[0]!, { code: 101, severity: 2 }),
    await raise(devices[1]!, { code: 301, severity: 1 }),
    await raise(devices[2]!, { code: 203, severity: 4 }),
  ];
  await passes(1000);
  const sent = house.service.heard.find(({ path }) => path === '/hook')!;
  const body = webhookBody.parse(JSON.parse(utf8(sent.body)));
  expect(body).toMatchObject({ alarm_id: ids[1], alarms: 3 });
  expect(body.list.map(({ alarm_id }) => alarm_id)).toEqual([ids[1], ids[0], ids[2]]);
  for (const each of devices) expect(body.text).toContain(each.name);
  const { data } = await house.operator.call('/system_message/index', {}, { 'accept-language': 'en-US' });
  for (const each of devices) expect(data.list[0].text).toContain(each.name);
  expect(data.list[0].text).toContain('Overvoltage');
});

it('sends a grouped message without the alarms handled meanwhile, and none if all were handled', async () => {
  await webhook();
  house.service.answer(() => ({ status: 503 }));
  const first = await raise(await device(), { severity: 1 });
  const second = await raise(await device(), { severity: 2 });
  await passes(1000);
  await house.operator.call('/device_warning/handle', { id: first, content: 'seen to' });
  house.service.heard.length = 0;
  house.service.answer(() => ({ status: 200 }));
  await passes(15_000);
  expect(bodies().map(({ list }) => list.map(({ alarm_id }) => alarm_id))).toEqual([[second]]);
});

it('gives values, units, project, device and times of the alarm in the webhook', async () => {
  await webhook();
  const one = await device();
  const id = await raise(one, { code: 301 });
  const at = new Date(house.world.clock.now() - 30_000);
  await house.world.db
    .updateTable('alarms')
    .set({ value: 60, peak: 75, threshold: 30, value_type: 4, phase: 2, raised_at: at })
    .where('id', '=', id)
    .execute();
  await passes(1000);
  const [body] = bodies();
  expect(body).toMatchObject({
    attempt: 1,
    kind: 'raised',
    alarms: 1,
    alarm_id: id,
    work_order: `W${id}`,
    typeNumber: 301,
    type: 'Leakage (residual current)',
    level: 2,
    severity: 1,
    phase: 'b',
    value: 60,
    peak: 75,
    threshold: 30,
    unit: 'mA',
    project_id: house.project.id,
    project_name: 'Harbour',
    device_id: one.id,
    device_number: one.number,
    device_name: one.name,
    line_id: one.lines[0]!.id,
    line_n: 1,
    line_name: 'Line 1',
    time: at.toISOString(),
    cleared_time: null,
    active: true,
    status: 'unprocessed',
    url: `https://watch.example/home/alarmList?alarm=${id}`,
  });
  expect(body!.list).toHaveLength(1);
});
