import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { UserForm } from './UserForm.tsx';
import { users } from './words/en-US.ts';

afterEach(cleanup);

test.each(languages)(
  'a new user without a project or region is marked at the field, before any question or call (%s)',
  async (language) => {
    const roles = [
      { role_id: 3, name: 'Site', enabled: true, place: 'project' },
      { role_id: 2, name: 'County', enabled: true, place: 'region' },
    ];
    const stage = await setStage({
      language,
      words: { users, common },
      replies: {
        '/user/roles': roles,
        '/project/options': { list: [], total: 0 },
        '/sign_user/get_address': [],
      },
    });
    showAt(<UserForm row="new" onClose={() => undefined} />);
    const form = within(await screen.findByRole('dialog'));
    const choose = async (name: string) => {
      fireEvent.mouseDown(form.getByRole('combobox', { name: users.column.role }));
      fireEvent.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
    };
    for (const [role, asked, flaw] of [
      ['Site', users.column.project, 'user.project'],
      ['County', users.column.area, 'user.region'],
    ] as const) {
      await choose(role);
      await form.findByText(asked, { selector: 'label' });
      fireEvent.click(form.getByRole('button', { name: common.dialog.save }));
      expect(await form.findByText(sentence(flaw, language))).toBeTruthy();
    }
    expect(stage.sent('/user/add')).toEqual([]);
  },
);
