import { expect, test } from 'vitest';
import { outcomeSentences } from '#contract/answer-words.ts';
import { type FaultCode, faults } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { shell as shellEn } from '#web/app/shell/words/en-US.ts';
import { shell as shellRu } from '#web/app/shell/words/ru-RU.ts';
import { shell as shellZh } from '#web/app/shell/words/zh-CN.ts';
import { backups as backupsEn } from '#web/features/backups/words/en-US.ts';
import { backups as backupsRu } from '#web/features/backups/words/ru-RU.ts';
import { backups as backupsZh } from '#web/features/backups/words/zh-CN.ts';
import { devices as devicesEn } from '#web/features/devices/words/en-US.ts';
import { devices as devicesRu } from '#web/features/devices/words/ru-RU.ts';
import { devices as devicesZh } from '#web/features/devices/words/zh-CN.ts';
import { lines as linesEn } from '#web/features/lines/words/en-US.ts';
import { lines as linesRu } from '#web/features/lines/words/ru-RU.ts';
import { lines as linesZh } from '#web/features/lines/words/zh-CN.ts';
import { common as commonEn } from '#web/parts/words/en-US.ts';
import { common as commonRu } from '#web/parts/words/ru-RU.ts';
import { common as commonZh } from '#web/parts/words/zh-CN.ts';

type Said = Readonly<Record<Language, string>>;
const fault = (code: FaultCode): Said => faults[code];
const at = (words: object, path: string): string => {
  let found: unknown = words;
  for (const key of path.split('.')) found = (found as Record<string, unknown>)[key];
  return String(found);
};
const of = (english: object, chinese: object, russian: object, path: string): Said => ({
  'en-US': at(english, path),
  'zh-CN': at(chinese, path),
  'ru-RU': at(russian, path),
});
const common = (path: string) => of(commonEn, commonZh, commonRu, path);
const devices = (path: string) => of(devicesEn, devicesZh, devicesRu, path);

/** Section 8 of the specification: each message as written there, and where the product says it. */
const messages: readonly [message: string, said: Said][] = [
  ['login expired, please log in again', fault('session.expired')],
  ['Login expired, please log in again', of(shellEn, shellZh, shellRu, 'fault.expired')],
  ['You have been logged out', fault('session.revoked')],
  ['You have been logged out', of(shellEn, shellZh, shellRu, 'fault.loggedOut')],
  ['Re-Login', of(shellEn, shellZh, shellRu, 'fault.signInAgain')],
  ['Cancel', of(shellEn, shellZh, shellRu, 'fault.stay')],
  ['Network error', of(shellEn, shellZh, shellRu, 'fault.network')],
  ['Operation successful!', outcomeSentences.done],
  ['Operation successful!', common('done')],
  ['Operation failed!', common('failed')],
  ['Unknown error', common('fault.unknown')],
  ['Unknown error', fault('server.failed')],
  ['Upload failed!', common('uploadFailed')],
  ['Download failed', common('table.exportFailed')],
  ['Delete successful', devices('delete.done')],
  ['Unbinding success', devices('unbind.done')],
  ['Backup successful', of(backupsEn, backupsZh, backupsRu, 'job.backedUp')],
  ['The device must be online to operate', fault('control.offline')],
  ['The current device is not online', of(linesEn, linesZh, linesRu, 'offline')],
  ['Device does not exist', fault('device.missing')],
  ['User does not exist', fault('user.missing')],
  ['Select a map first', fault('map.choose')],
];
test.each(messages)('"%s" exists in three languages', (message, said) => {
  expect(said['en-US'].toLowerCase()).toContain(message.toLowerCase());
  expect(said['zh-CN']).toMatch(/\p{Script=Han}/u);
  expect(said['ru-RU']).toMatch(/\p{Script=Cyrillic}/u);
});
