/** Invalid input on the screens of people and records: the user reads at the field, or in a notice, what to do next. */
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { categories as categoriesEnglish } from '#web/features/categories/words/en-US.ts';
import { categories as categoriesRussian } from '#web/features/categories/words/ru-RU.ts';
import { categories as categoriesChinese } from '#web/features/categories/words/zh-CN.ts';
import { projects as projectsEnglish } from '#web/features/projects/words/en-US.ts';
import { projects as projectsRussian } from '#web/features/projects/words/ru-RU.ts';
import { projects as projectsChinese } from '#web/features/projects/words/zh-CN.ts';
import { roles as rolesEnglish } from '#web/features/roles/words/en-US.ts';
import { roles as rolesRussian } from '#web/features/roles/words/ru-RU.ts';
import { roles as rolesChinese } from '#web/features/roles/words/zh-CN.ts';
import { common as english } from '#web/parts/words/en-US.ts';
import { common as russian } from '#web/parts/words/ru-RU.ts';
import { common as chinese } from '#web/parts/words/zh-CN.ts';
import { makeDevice, makeProject, makeTag, makeUser } from '../factories.ts';
import { pngOf } from '../images.ts';
import { type House, openHouse } from './house.ts';

const words = {
  'en-US': {
    ...{ common: english, roles: rolesEnglish },
    ...{ projects: projectsEnglish, categories: categoriesEnglish },
  },
  'ru-RU': {
    ...{ common: russian, roles: rolesRussian },
    ...{ projects: projectsRussian, categories: categoriesRussian },
  },
  'zh-CN': {
    ...{ common: chinese, roles: rolesChinese },
    ...{ projects: projectsChinese, categories: categoriesChinese },
  },
};
let house: House;
let shift: number;
let group: number;
let second: number;
beforeAll(async () => {
  house = await openHouse();
  const role = (name: string, code: number, parent_id: number) =>
    house.db
      .insertInto('roles')
      .values({ code, name, description: name, parent_id, letters: 'A' })
      .returning('id')
      .executeTakeFirstOrThrow();
  const { role_id: top } = await house.db
    .selectFrom('users')
    .select('role_id')
    .where('id', '=', house.admin)
    .executeTakeFirstOrThrow();
  const night = await role('Night', 170, top);
  shift = (await role('Shift', 171, top)).id;
  group = (await role('Group', 172, top)).id;
  const { id } = await makeUser(house.db, { role: 3, nickname: 'Zhao Lei' });
  await house.db.updateTable('users').set({ role_id: night.id }).where('id', '=', id).execute();
  second = (await makeUser(house.db, { role: 1, username: 'second' })).id;
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  const device = await makeDevice(house.db, { project_id: project.id });
  await makeTag(
    house.db,
    { line_id: device.lines[0]!.id },
    { owner: house.admin, at: Date.now(), reason: 'Work on the busbar' },
  );
  const category = await house.db
    .insertInto('categories')
    .values({ name: 'Pumps', icon_id: await icon(), description: '', created_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow();
  await house.db
    .updateTable('devices')
    .set({ category_id: category.id })
    .where('id', '=', device.id)
    .execute();
});
afterAll(() => house?.stop());

const icon = async (): Promise<string> => {
  const content = pngOf(500);
  const { id } = await house.db
    .insertInto('uploads')
    .values({
      ...{ id: crypto.randomUUID(), media_type: 'image/png', bytes: content.length, content },
      ...{ sha256: Buffer.alloc(32), created_by: house.admin, created_at: new Date() },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
};
/** Ant Design writes a blank between two Chinese characters of a button. */
const button = (within: Page | Locator, text: string) =>
  within.getByRole('button', { name: new RegExp(`^${[...text].join(' ?')}$`) });
const dialogOf = (page: Page) => page.locator('.ant-modal-confirm');
const named = (text: string, name: string) => text.replace('{{name}}', name);

describe.each(languages)('in %s', (language: Language) => {
  const { common, roles, projects, categories } = words[language];
  const said = (code: FaultCode, given = {}) => sentence(code, language, given);
  let page: Page;
  beforeAll(async () => {
    page = await house.pageOf(house.admin, { language, width: language === 'ru-RU' ? 390 : 1440 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
  const goTo = (name: string) => page.goto(`${house.url}/home/${name}`);
  const act = async (row: string, item: string) => {
    const more = named(common.table.moreActions, row);
    await page.getByRole('button', { name: more, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  test('a role in use cannot be deleted, and the notice names its users', async () => {
    await goTo('configinfos/rolemanage');
    await act('Night', roles.remove.act);
    await button(dialogOf(page), roles.remove.act).click();
    await page.getByText(said('role.inUse', { by: 'Zhao Lei' })).waitFor();
  });

  test('marks the new parent of a role if another administrator just moved that parent below the role', async () => {
    const parentOf = (role: number, parent_id: number) =>
      house.db.updateTable('roles').set({ parent_id }).where('id', '=', role).execute();
    await parentOf(group, 1);
    await parentOf(shift, 1);
    await goTo('configinfos/rolemanage');
    await page.getByRole('button', { name: 'Shift', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: roles.edit });
    await drawer.getByRole('combobox', { name: roles.column.parent }).click();
    await page.locator('.ant-select-dropdown:visible').getByTitle('Group', { exact: true }).click();
    await parentOf(group, shift);
    await button(drawer, common.dialog.save).click();
    const proof = page.locator('input[type=password]');
    const mark = drawer.locator('.ant-form-item-explain-error');
    await proof.or(mark).first().waitFor();
    if (await proof.isVisible()) {
      await proof.fill(house.adminPassword);
      await page.keyboard.press('Enter');
    }
    await mark.getByText(said('role.loop')).waitFor();
  });

  test.each([
    ['the last administrator', 'user.lastAdmin', false],
    ['one’s own account', 'user.self', true],
  ] as const)('deleting %s fails, with the reason', async (_, code, enabled) => {
    await house.db.updateTable('users').set({ enabled }).where('id', '=', second).execute();
    await goTo('configinfos/USERManage');
    await page.getByRole('checkbox', { name: named(common.table.select, 'admin'), exact: true }).check();
    await button(page, projects.delete.act).click();
    await button(dialogOf(page), projects.delete.act).click();
    const result = page.getByRole('dialog', { name: common.results.deleteFailed });
    await result.getByText(said(code)).waitFor();
  });

  test('deleting a project under a lock-out tag is refused: the dialog warns, and the result says what to do', async () => {
    await goTo('projectlist');
    await act('Bay Tower', projects.delete.act);
    await button(dialogOf(page), projects.delete.act).click();
    const result = page.getByRole('dialog', { name: common.results.deleteFailed });
    await result.getByText(said('project.tagged')).waitFor();
  });

  test('a category in use cannot be deleted, and the notice says what to do', async () => {
    await goTo('configinfos/devicemanage');
    // A card on a phone has room for both buttons.
    if (language === 'ru-RU') await button(page, categories.remove.act).click();
    else await act('Pumps', categories.remove.act);
    await button(dialogOf(page), categories.remove.act).click();
    await page.getByText(said('category.used')).waitFor();
  });

  test.each([
    ['an SVG', 'icon.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'upload.notImage', {}],
    ['a text called PNG', 'icon.png', Buffer.from('text'), 'upload.notImage', {}],
    ['half an image', 'icon.png', pngOf(600).subarray(0, 300), 'upload.broken', {}],
    ['a PNG called JPEG', 'icon.jpg', pngOf(600), 'upload.extension', { kind: 'PNG', extension: 'jpg' }],
    ['more than 2 MB', 'icon.png', pngOf(2 * 1024 * 1024 + 1), 'upload.tooLarge', {}],
  ] as const)('%s is refused as an icon, and the field says why', async (_, name, buffer, code, given) => {
    await goTo('configinfos/devicemanage');
    await button(page, categories.add).click();
    const drawer = page.getByRole('dialog', { name: categories.add });
    await drawer.getByLabel(categories.column.icon).setInputFiles({ name, mimeType: 'image/png', buffer });
    const mark = drawer.getByRole('alert');
    await mark.getByText(said(code, given)).waitFor();
    if (code !== 'upload.tooLarge') expect(await mark.textContent()).toContain(common.uploadFailed);
  });
});
