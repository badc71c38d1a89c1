/** Tests the messages about outcomes in section 8 of the specification, each with a real cause. */
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test } from 'vitest';
import type { FirmwareVersion } from '#contract/firmware.ts';
import { type Language, languages } from '#contract/languages.ts';
import { useEndedJobs } from '#web/features/backups/use-ended-jobs.ts';
import { useDeviceActs } from '#web/features/devices/use-device-acts.tsx';
import { RolloutForm } from '#web/features/firmware/RolloutForm.tsx';
import { LinesPanel } from '#web/features/lines/LinesPanel.tsx';
import { BatchResult } from '#web/parts/BatchResult.tsx';
import { useDownload } from '#web/parts/use-download.ts';
import { setStage, showAt } from '#web/test-stage.tsx';

const files = {
  ...import.meta.glob<Record<string, object>>('../features/{backups,devices,firmware,lines}/words/*.ts', {
    eager: true,
  }),
  ...import.meta.glob<Record<string, object>>('../parts/words/*.ts', { eager: true }),
};
const wordsIn = (language: Language): Record<string, object> =>
  Object.assign(
    {},
    ...Object.entries(files).flatMap(([file, words]) => (file.includes(language) ? [words] : [])),
  );
afterEach(cleanup);

const refused = { refused: true, status: 503, code: 503, msg: 'Later', data: {} } as const;

/** The wording of each message in the specification, and in the other two languages. */
const messages = {
  downloadFailed: { 'en-US': 'Download failed', 'zh-CN': '下载失败', 'ru-RU': 'Не удалось скачать' },
  deleted: { 'en-US': 'Delete successful', 'zh-CN': '删除成功', 'ru-RU': 'Успешно удалено' },
  deleteFailed: { 'en-US': 'Delete failed', 'zh-CN': '删除失败', 'ru-RU': 'Не удалось удалить' },
  unbound: { 'en-US': 'Unbinding success', 'zh-CN': '解绑成功', 'ru-RU': 'Устройство отвязано' },
  backedUp: { 'en-US': 'Backup successful', 'zh-CN': '备份成功', 'ru-RU': 'Резервная копия создана' },
  failed: { 'en-US': 'Operation failed!', 'zh-CN': '操作失败！', 'ru-RU': 'Операция не выполнена!' },
  done: { 'en-US': 'Operation successful!', 'zh-CN': '操作成功！', 'ru-RU': 'Операция выполнена!' },
  offline: {
    'en-US': 'The current device is not online',
    'zh-CN': '当前设备不在线',
    'ru-RU': 'Устройство сейчас не в сети',
  },
  low: { 'en-US': 'Low version', 'zh-CN': '版本过低', 'ru-RU': 'Версия ниже' },
} as const;
const appears = async (message: keyof typeof messages, language: Language) =>
  expect((await screen.findAllByText(new RegExp(messages[message][language]))).length).toBeGreaterThan(0);

const Export = () => {
  const { save } = useDownload({
    method: 'POST',
    path: '/Device/export',
    permission: 'device.read',
  } as never);
  return (
    <button type="button" onClick={() => void save({} as never, 'x.xlsx')}>
      export
    </button>
  );
};
const Acts = ({ kind }: { kind: 'unbind' | 'remove' }) => {
  const acts = useDeviceActs([], {}, () => {});
  return (
    <>
      <button type="button" onClick={() => void acts[kind]({ kind: 'rows', ids: [7] })}>
        act
      </button>
      <BatchResult
        outcomes={acts.outcomes}
        nameOf={String}
        reasonOf={(reason) => reason}
        isDelete={acts.isDelete}
        onClose={acts.close}
      />
    </>
  );
};
const EndedJobs = () => {
  useEndedJobs();
  return <p>ready</p>;
};
const device = { device_id: 7, number: 'SW1', name: '', type: 3, project_id: 1, status: 'offline' };
const jobOf = (job_id: string, kind: string, state: string) => ({
  ...{ job_id, kind, state, cause: 'manual', tables: ['readings'], backup: null },
  ...{ operator: 'root', step: null, done: 0, total: 0, result: {}, may_cancel: false },
  ...{ created_at: '2026-11-20T02:30:00Z', started_at: '2026-11-20T02:30:00Z', ended_at: null },
  message: null,
});

describe.each(languages)('in %s', (language) => {
  const stageOf = (replies: Record<string, object>) =>
    setStage({
      language,
      words: wordsIn(language),
      replies,
      permissions: ['database.write', 'firmware.write', 'device.write'],
    });
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const click = async (name: string) => user.click(await screen.findByRole('button', { name }));
  const agree = async () => {
    await screen.findByRole('dialog');
    const [ok] = [
      ...document.querySelectorAll<HTMLElement>('.ant-modal-confirm-btns .ant-btn-dangerous'),
    ].slice(-1);
    await user.click(ok!);
  };

  test('an export that the server refuses shows “download failed”', async () => {
    await stageOf({ '/Device/export': refused });
    showAt(<Export />);
    await click('export');
    await appears('downloadFailed', language);
  });

  test.each([
    ['remove', 'done', 'deleted'],
    ['remove', 'denied', 'deleteFailed'],
    ['unbind', 'done', 'unbound'],
  ] as const)('%s of a device with the result “%s” shows “%s”', async (kind, result, message) => {
    const acted = { results: [{ id: 7, result, message: 'why' }], done: 1, job_id: null };
    await stageOf({ '/device/del_device': acted, '/Device/remove_device': acted });
    showAt(<Acts kind={kind} />);
    await click('act');
    await agree();
    await appears(message, language);
  });

  test('ended jobs show “backup successful”, “operation failed” or “operation successful”', async () => {
    const ends = [
      ['1', 'backup', 'done'],
      ['2', 'repair', 'failed'],
      ['3', 'optimise', 'done'],
    ] as const;
    let asked = 0;
    await stageOf({
      '/database/get_jobs': () => {
        asked += 1;
        const list = ends.map(([id, kind, end]) => jobOf(id, kind, asked === 1 ? 'running' : end));
        return { list, total: 3, page: 1, limit: 20 };
      },
    });
    showAt(<EndedJobs />);
    for (const message of ['backedUp', 'failed', 'done'] as const) await appears(message, language);
  });

  test('the lines of an offline device show “the current device is not online”', async () => {
    await stageOf({
      '/device_line/get_list': { list: [] },
      '/device_line/possible': { actions: [] },
      '/device_line/sparks': { lines: [] },
    });
    showAt(<LinesPanel device={device as never} tags={() => null} />);
    await appears('offline', language);
  });

  test('a rollout of a version that is older than the present ones shows “low version”', async () => {
    await stageOf({
      '/version/preview_rollout': {
        ...{ devices: 5, online: 5, already: 0, busy: 0, tagged: 0, critical: 0 },
        versions: [
          { version: '1.10.0', devices: 5 },
          { version: '1.4.2', devices: 40 },
        ],
      },
      '/project/options': { list: [] },
    });
    const version = { version_id: 4, mac_name: 'X', appVersion: '1.9.0' } as FirmwareVersion;
    showAt(<RolloutForm version={version} onClose={() => {}} onBegun={() => {}} />);
    await appears('low', language);
    expect(screen.getByText(/1\.10\.0/).textContent).toMatch(/5/);
    expect(screen.queryByText(/1\.4\.2.*/)).toBeNull();
  });
});
