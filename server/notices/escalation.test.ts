import { beforeEach, describe, expect, it } from 'vitest';
import { projectRoutes } from '#server/projects/projects.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';
import type { Client } from '#test/world.ts';

const house = noticeWorld((serve) => projectRoutes(serve, { publicUrl: null, provePassword }));
const { deviceWithContacts, device, ledger, passes, raise, subscribe } = house;
const minute = 60_000;
const recipients = async (id: number) => (await ledger(id)).map(({ recipient }) => recipient);

describe('the project moves to another region', () => {
  const moves = async (region_id: number) => {
    const { id } = house.project;
    const { revision } = await house.world.db
      .selectFrom('projects')
      .select('revision')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const moved = await house.admin.call('/Project/edit_project', { project_id: id, revision, region_id });
    expect(moved, moved.msg).toMatchObject({ status: 200 });
  };
  const [here, there] = [440305, 310000];
  const regional = async (region_id: number) => {
    const { id, nickname } = await makeUser(house.world.db, { role: 2, region_id });
    await subscribe(await house.world.as(id), `/push/${id}`);
    return nickname;
  };
  const telling = async (id: number, names: string[]) =>
    (await recipients(id)).filter((name) => names.includes(name));

  it.each([
    [1, 16 * minute],
    [2, 241 * minute],
  ])(
    'an alarm of severity %i whose regional administrator was called calls the new one too, each once',
    async (severity, ms) => {
      const former = await regional(440000);
      const next = await regional(there);
      const id = await raise(await device(), { severity });
      await passes(1000);
      await passes(ms);
      expect(await telling(id, [former, next])).toEqual([former]);
      await moves(there);
      await passes(6000);
      expect(await telling(id, [former, next])).toEqual([former, next]);
      await moves(here);
      await passes(6000);
      expect(await telling(id, [former, next])).toEqual([former, next]);
      await passes(6000);
      expect(await telling(id, [former, next])).toEqual([former, next]);
    },
  );

  it('an alarm whose regional administrator was not called yet calls the new one when the step is due', async () => {
    const former = await regional(440000);
    const next = await regional(there);
    const id = await raise(await device(), { severity: 1 });
    await passes(1000);
    await passes(10 * minute);
    await moves(there);
    await passes(6000);
    expect(await telling(id, [former, next])).toEqual([]);
    await passes(6 * minute);
    expect(await telling(id, [former, next])).toEqual([next]);
    await moves(here);
  });

  it('an alarm that was handled calls nobody in the new region', async () => {
    const next = await regional(there);
    const id = await raise(await device(), { severity: 1 });
    await passes(1000);
    await passes(16 * minute);
    await house.operator.call('/device_warning/handle', { id, content: 'seen to' });
    await moves(there);
    await passes(6000);
    expect(await telling(id, [next])).toEqual([]);
    await moves(here);
  });
});

describe('a contact who is called cannot be reached', () => {
  const third = { name: 'Third', phone: '13900000003' };
  let keeper: Client;
  beforeEach(async () => {
    const { db } = house.world;
    const { id } = await makeUser(db, { role: 3, projects: [house.project] });
    await db
      .updateTable('users')
      .set({ mobile: '', mobile_proved_at: null })
      .where('mobile', '=', third.phone)
      .execute();
    await db
      .updateTable('users')
      .set({ mobile: third.phone, mobile_proved_at: new Date(house.world.clock.now()) })
      .where('id', '=', id)
      .execute();
    keeper = await house.world.as(id);
    await subscribe(keeper, '/push/third');
  });
  const place = async () => {
    const made = await deviceWithContacts();
    const { contacts } = await house.world.db
      .selectFrom('devices')
      .select('contacts')
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow();
    await house.world.db
      .updateTable('devices')
      .set({ contacts: JSON.stringify([...contacts, third]) })
      .where('id', '=', made.id)
      .execute();
    return made;
  };
  const called = async (id: number) =>
    (await ledger(id)).map(({ kind, recipient, state, reason }) =>
      [kind, /First|Second|Third/.exec(recipient)?.[0], state, reason].filter(Boolean).join(' '),
    );
  const secondAnswers = (status: number) =>
    house.service.answer(({ path }) => ({ status: path === '/push/second' ? status : 201 }));
  /** The step to contact 2, and the look after it. */
  const stepOf = async () => {
    const id = await raise(await place(), { severity: 1 });
    await passes(1000);
    await passes(5 * minute);
    await passes(6000);
    await passes(6000);
    return id;
  };

  it('the next contact is called when the account of the second has no push', async () => {
    expect(await called(await stepOf())).toEqual([
      'reminder Second failed no_subscription',
      'reminder Third accepted',
    ]);
  });

  it('the next contact is called when the push of the second is refused for good', async () => {
    await subscribe(house.operator, '/push/second');
    secondAnswers(410);
    expect(await called(await stepOf())).toEqual(['reminder Second failed gone', 'reminder Third accepted']);
  });

  it('the next contact is called when the account of the second is disabled in the last moment', async () => {
    await subscribe(house.operator, '/push/second');
    secondAnswers(503);
    const id = await raise(await place(), { severity: 1 });
    await passes(1000);
    await passes(5 * minute);
    const user = (enabled: boolean) =>
      house.world.db.updateTable('users').set({ enabled }).where('id', '=', house.operator.userId).execute();
    await user(false);
    await passes(minute);
    await passes(6000);
    await passes(6000);
    await user(true);
    expect(await called(id)).toEqual([
      'reminder Second suppressed account_disabled',
      'reminder Third accepted',
    ]);
  });

  it('the next contact is not called while the second is tried again, nor after it was reached', async () => {
    await subscribe(house.operator, '/push/second');
    secondAnswers(503);
    const id = await stepOf();
    expect(await called(id)).toEqual(['reminder Second queued unreachable']);
    secondAnswers(201);
    await passes(minute);
    await passes(6000);
    expect(await called(id)).toEqual(['reminder Second accepted']);
  });

  it('a reminder that a user asks for goes to the next contact, too', async () => {
    const id = await raise(await place(), { severity: 4 });
    await passes(1000);
    await house.operator.call('/device_warning/toPush', { id });
    await passes(1000);
    await passes(6000);
    await passes(6000);
    expect(await called(id)).toEqual([
      'urged First failed no_account',
      'urged Second failed no_subscription',
      'urged Third accepted',
    ]);
  });

  it('nobody is called twice when no contact can be reached', async () => {
    await house.world.db.deleteFrom('push_subscriptions').execute();
    const id = await stepOf();
    await passes(minute);
    await passes(6000);
    expect(await called(id)).toEqual([
      'reminder Second failed no_subscription',
      'reminder Third failed no_subscription',
    ]);
  });
});
