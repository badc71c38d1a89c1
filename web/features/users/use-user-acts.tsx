import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { type UserRow, userEndpoints } from '#contract/users.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { RowOutcome } from '#web/parts/BatchResult.tsx';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';

/** Enables, disables and deletes users; each act first shows what stops with the account. */
export const useUserActs = (onRefused: (outcomes: readonly RowOutcome[]) => void) => {
  const { t } = useTranslation('users');
  const { list: listOf } = useFormats();
  const { message } = App.useApp();
  const refresh = useReload(userEndpoints.list);
  const confirm = useConfirm();
  const proof = useProvenCall('own_password');
  const run = async (act: () => Promise<void>) => {
    await attempt(act);
    await refresh();
  };
  const depends = async (row: UserRow) => {
    const { timers, tags } = await call(userEndpoints.detail, { user_id: row.user_id });
    return (
      <>
        {timers > 0 && <p>{t(($) => $.depends.timers, { count: timers })}</p>}
        {tags > 0 && <p>{t(($) => $.depends.tags, { count: tags })}</p>}
      </>
    );
  };

  const setStatus = (row: UserRow, enabled: boolean) =>
    run(async () => {
      const sure =
        enabled ||
        (await confirm({
          title: t(($) => $.disable.title, { name: row.username }),
          content: (
            <>
              <p>{t(($) => $.disable.text)}</p>
              {await depends(row)}
            </>
          ),
          okText: t(($) => $.actions.disable),
          danger: true,
        }));
      if (!sure) return;
      await call(userEndpoints.setStatus, { user_id: row.user_id, enabled });
      void message.success(t(($) => (enabled ? $.enabledDone : $.disabledDone), { name: row.username }));
    });

  const remove = (rows: readonly UserRow[]) =>
    run(async () => {
      const [only] = rows;
      const names = listOf(rows.map(({ username }) => username));
      const sure = await confirm({
        title:
          rows.length === 1
            ? t(($) => $.remove.title, { name: names })
            : t(($) => $.remove.several, { count: rows.length }),
        content: (
          <>
            {rows.length > 1 && <p>{names}</p>}
            <p>{t(($) => $.remove.text)}</p>
            {rows.length === 1 && only && (await depends(only))}
          </>
        ),
        okText: t(($) => $.actions.remove),
        danger: true,
      });
      if (!sure) return;
      const { results, denied, done } = await call(userEndpoints.remove, {
        ids: rows.map(({ user_id }) => user_id),
      });
      if (denied > 0) onRefused(results);
      else void message.success(t(($) => $.remove.done, { count: done }));
    });

  const confirmPhone = (row: UserRow, password: string) =>
    run(async () => {
      await call(sessionEndpoints.confirmPhone, { user_id: row.user_id, mobile: row.mobile, password });
      void message.success(t(($) => $.confirmPhone.done));
    });
  const resetTwoStep = (row: UserRow) =>
    run(async () => {
      const sure = await confirm({
        title: t(($) => $.resetTwoStep.title, { name: row.username }),
        content: t(($) => $.resetTwoStep.text),
        okText: t(($) => $.actions.resetTwoStep),
        danger: true,
      });
      if (!sure) return;
      const reset = await proof(userEndpoints.resetTwoStep, { user_id: row.user_id });
      if (reset) void message.success(t(($) => $.resetTwoStep.done, { name: row.username }));
    });
  return { setStatus, remove, confirmPhone, resetTwoStep };
};
