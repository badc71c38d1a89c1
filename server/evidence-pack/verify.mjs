#!/usr/bin/env node
/**
 * Checks an evidence pack without the product that made it: node verify.mjs
 * Run it in the folder to which the archive was unpacked. It needs Node.js 20 or newer and nothing else.
 * Exit code 0: every file and row is as it was written. 1: something was changed or is missing, and is named.
 * 2: the pack could not be checked. Files that do not belong to the pack are named and do not affect the result.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';

const folder = path.resolve(process.argv[2] ?? import.meta.dirname ?? '.');

const texts = {
  'zh-CN': {
    noManifest: 'manifest.json 不存在或无法读取',
    missing: '文件缺失：{name}',
    changed: '文件被改动：{name}（SHA-256 应为 {wanted}，实为 {found}）',
    beside: '不属于证据包的文件，未经验证：{name}',
    badName: '清单中的文件名不可用：{name}',
    row: '操作日志第 {id} 行被改动：内容与其校验值不符',
    gap: '操作日志第 {id} 行之前有记录缺失或被替换',
    cut: '操作日志从第 {first} 行到第 {last} 行的记录不完整',
    line: 'operation-log.ndjson 第 {line} 行不是有效的记录',
    holds: '验证通过：{files} 个文件，操作日志 {rows} 行。',
    broken: '验证未通过：{count} 处不符。',
    anchor: 'manifest.json 的 SHA-256（与服务器操作日志中的“证据包：已生成”核对）：{hash}',
  },
  'en-US': {
    noManifest: 'manifest.json is missing or cannot be read',
    missing: 'File is missing: {name}',
    changed: 'File was changed: {name} (SHA-256 should be {wanted}, is {found})',
    beside: 'Not part of the pack and not verified: {name}',
    badName: 'The manifest has an unusable file name: {name}',
    row: 'Row {id} of the operation log was changed: its content does not match its hash',
    gap: 'Rows before row {id} of the operation log are missing or were replaced',
    cut: 'Rows {first} to {last} of the operation log are not complete',
    line: 'Line {line} of operation-log.ndjson is no row',
    holds: 'Verified: {files} files, {rows} rows of the operation log.',
    broken: 'NOT verified, findings: {count}.',
    anchor:
      'SHA-256 of manifest.json (compare with “Evidence pack: made” in the server’s operation log): {hash}',
  },
  'ru-RU': {
    noManifest: 'manifest.json отсутствует или не читается',
    missing: 'Нет файла: {name}',
    changed: 'Файл изменён: {name} (SHA-256 должен быть {wanted}, а получен {found})',
    beside: 'Не входит в пакет и не проверено: {name}',
    badName: 'Недопустимое имя файла в описи: {name}',
    row: 'Строка {id} журнала операций изменена: содержание не соответствует её хешу',
    gap: 'Перед строкой {id} журнала операций записи удалены или подменены',
    cut: 'Строки журнала операций с {first} по {last} представлены не полностью',
    line: 'Строка {line} файла operation-log.ndjson не является записью',
    holds: 'Проверено: файлов {files}, строк журнала операций {rows}.',
    broken: 'НЕ подтверждено, расхождений: {count}.',
    anchor:
      'SHA-256 файла manifest.json (сравните с записью «Пакет доказательств: сформирован» в журнале сервера): {hash}',
  },
};

let language = 'en-US';
const say = (key, about = {}) =>
  texts[language][key].replace(/\{(\w+)\}/g, (_whole, name) => String(about[name]));
const findings = [];
const find = (key, about) => findings.push(say(key, about));
/** Files in the folder that do not belong to the pack. They are named and do not affect the result. */
const beside = [];

const sha256Of = async (file) => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
};
const isThere = (file) =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** Names in a fixed order, as the log hashes them. */
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};
const hashOf = ({ previous_hash, operation }) =>
  createHash('sha256')
    .update(Buffer.from(previous_hash, 'hex'))
    .update(JSON.stringify(sorted(operation)))
    .digest('hex');

const checkFiles = async (manifest) => {
  for (const { name, sha256 } of manifest.files) {
    const file = path.resolve(folder, name);
    if (!file.startsWith(folder + path.sep)) find('badName', { name });
    else if (!(await isThere(file))) find('missing', { name });
    else {
      const found = await sha256Of(file);
      if (found !== sha256) find('changed', { name, wanted: sha256, found });
    }
  }
  const listed = new Set([...manifest.files.map(({ name }) => name), 'manifest.json']);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name));
    const written = name.split(path.sep).join('/');
    if (!listed.has(written)) beside.push(written);
  }
};

const readRow = (text, line) => {
  try {
    const row = JSON.parse(text);
    if (typeof row.id === 'number' && typeof row.hash === 'string' && typeof row.previous_hash === 'string')
      return row;
  } catch {
    // The error is reported below.
  }
  find('line', { line });
  return null;
};

const checkLog = async (manifest) => {
  const file = path.join(folder, 'operation-log.ndjson');
  const stretches = manifest.operation_log.stretches;
  const ends = stretches.map(() => ({ first: null, last: null }));
  let rows = 0;
  let line = 0;
  let last = null;
  if (await isThere(file))
    for await (const text of createInterface({ input: createReadStream(file, 'utf8') })) {
      line += 1;
      const row = readRow(text, line);
      if (row === null) continue;
      rows += 1;
      if (row.operation !== undefined && hashOf(row) !== row.hash) find('row', { id: row.id });
      if (last !== null && last.stretch === row.stretch && row.previous_hash !== last.hash)
        find('gap', { id: row.id });
      const end = ends[row.stretch - 1];
      if (end) {
        end.first ??= row.id;
        end.last = row.id;
      }
      last = row;
    }
  stretches.forEach(({ first, last: to }, index) => {
    if (ends[index].first !== first || ends[index].last !== to) find('cut', { first, last: to });
  });
  return rows;
};

const text = await readFile(path.join(folder, 'manifest.json'), 'utf8').catch(() => null);
let manifest = null;
try {
  manifest = JSON.parse(text ?? '');
} catch {
  // The error is reported below.
}
if (!Array.isArray(manifest?.files) || !Array.isArray(manifest?.operation_log?.stretches)) {
  console.error(say('noManifest'));
  process.exit(2);
}
if (Object.hasOwn(texts, manifest.language)) language = manifest.language;
await checkFiles(manifest);
const rows = await checkLog(manifest);
for (const finding of findings) console.log(`✗ ${finding}`);
for (const name of beside) console.log(`! ${say('beside', { name })}`);
console.log(
  findings.length === 0
    ? say('holds', { files: manifest.files.length, rows })
    : say('broken', { count: findings.length }),
);
console.log(say('anchor', { hash: createHash('sha256').update(text).digest('hex') }));
process.exit(findings.length === 0 ? 0 : 1);
