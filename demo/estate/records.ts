import { createHash } from 'node:crypto';
import { Resvg } from '@resvg/resvg-js';
import type { Db } from '#database/connect.ts';
import type { FurnishedDevice } from './devices.ts';
import { type FurnishedUser, projectsOf } from './people.ts';

const dayMs = 86_400_000;

const texts = [
  {
    title: '报警处理规程',
    content:
      '## 收到报警后\n\n1. 先看**线路状态**与当前负荷。\n2. 联系现场负责人，按联系人顺序拨打。\n3. 原因未明之前**不要合闸**。\n\n处理完成后填写处理内容，并按需登记维保记录。',
    daysAgo: 40,
  },
  {
    title: '挂牌上锁要求',
    content:
      '检修前在控制台挂牌，并在现场开关上**上锁挂牌**。\n\n- 控制台挂牌不能代替现场的锁和牌。\n- 作业前验电。\n- 只有挂牌人或管理员可以摘牌。',
    daysAgo: 25,
  },
  {
    title: '夏季用电高峰提醒',
    content: '七月至九月为用电高峰。请各项目检查空调回路的额定电流与过流阈值。',
    daysAgo: 3,
    enabled: false,
  },
];

/** `shape` is drawn on a 24 × 24 grid. */
const groups = [
  {
    name: '水泵',
    description: '消防泵、生活泵、排污泵',
    id: '0b7a3c52-5d0e-4c3e-9a57-1f6f2f0c9a01',
    shape: '<path d="M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z" fill="#1565c0"/>',
    matches: /泵/,
  },
  {
    name: '机房',
    description: '服务器与网络机房',
    id: '0b7a3c52-5d0e-4c3e-9a57-1f6f2f0c9a02',
    shape:
      '<g fill="#37474f"><rect x="4" y="4" width="16" height="4"/><rect x="4" y="10" width="16" height="4"/><rect x="4" y="16" width="16" height="4"/></g>',
    matches: /机房|服务器/,
  },
  {
    name: '宿舍',
    description: '学生与员工宿舍',
    id: '0b7a3c52-5d0e-4c3e-9a57-1f6f2f0c9a03',
    shape: '<path d="M3 12 12 4l9 8v8H3z" fill="#8d6e63"/>',
    matches: /宿舍/,
  },
];

const notes = [
  {
    username: 'office-sz',
    type: 'question',
    content: '夜间的漏电预警可以只通知值班人员吗？',
    daysAgo: 12,
    reply: '可以：在通知规则中为值班人员设置时段 22:00 至 6:00。',
  },
  {
    username: 'logistics',
    type: 'suggestion',
    content: '希望导出的报警表能带上线路的额定电流。',
    daysAgo: 5,
  },
  {
    username: 'dorm-1',
    type: 'problem',
    content: '三号楼的设备地址写错了，应为北门配电间。',
    daysAgo: 1,
  },
];

const icon = (shape: string): Buffer =>
  Buffer.from(
    new Resvg(
      `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 24 24">${shape}</svg>`,
    )
      .render()
      .asPng(),
  );

/** Texts, categories with their devices, and feedback. */
export const furnishRecords = async (
  trx: Db,
  devices: readonly FurnishedDevice[],
  users: readonly FurnishedUser[],
  now: number,
): Promise<void> => {
  const admin = users[0];
  if (!admin) return;
  const ago = (days: number) => new Date(now - days * dayMs);
  await trx
    .insertInto('contents')
    .values(
      texts.map(({ daysAgo, enabled = true, ...text }) => ({
        ...text,
        enabled,
        created_by: admin.id,
        created_at: ago(daysAgo),
        updated_at: ago(daysAgo),
      })),
    )
    .execute();
  for (const { id, name, description, shape, matches } of groups) {
    const content = icon(shape);
    await trx
      .insertInto('uploads')
      .values({
        id,
        media_type: 'image/png',
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest(),
        content,
        created_by: admin.id,
        created_at: ago(60),
      })
      .execute();
    const { id: category } = await trx
      .insertInto('categories')
      .values({ name, description, icon_id: id, created_at: ago(60) })
      .returning('id')
      .executeTakeFirstOrThrow();
    const within = devices.filter((device) => matches.test(device.name)).map((device) => device.id);
    if (within.length > 0)
      await trx.updateTable('devices').set({ category_id: category }).where('id', 'in', within).execute();
  }
  for (const { username, daysAgo, reply, ...note } of notes) {
    const writer = users.find((user) => user.username === username);
    if (!writer) continue;
    await trx
      .insertInto('feedback')
      .values({
        ...note,
        user_id: writer.id,
        project_id: projectsOf(writer)[0] ?? null,
        contact: writer.mobile,
        at: ago(daysAgo),
        ...(reply ? { reply, replied_at: ago(daysAgo - 0.5), replied_by: admin.id } : {}),
      })
      .execute();
  }
};
