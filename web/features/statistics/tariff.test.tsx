/** What the form of a new tariff shows before it is filled in. */
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { tariffBandWords } from '#contract/statistics-columns.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { TariffDrawer } from './TariffDrawer.tsx';
import { blankTariff } from './tariff-draft.ts';
import { statistics } from './words/en-US.ts';

afterEach(cleanup);

test.each(languages)(
  'a new tariff names each band without a price, and takes the currency in use (%s)',
  async (language) => {
    const version = { id: 1, revision: 1, operator: 'admin', valid_from: '2026-01-01', project_id: null };
    await setStage({
      language,
      words: { statistics, common },
      permissions: ['tariff.write'],
      replies: {
        '/statistics/get_tariffs': ({ project_id }: { project_id?: number }) => ({
          list: project_id === undefined ? [{ ...version, content: blankTariff('KZT', 'Year') }] : [],
        }),
      },
    });
    showAt(<TariffDrawer projectId={7} projectName="Mill" onClose={() => undefined} />);
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByText(statistics.tariff.noneOwn);
    await userEvent.click(drawer.getByRole('button', { name: statistics.tariff.add }));
    const colon = language === 'zh-CN' ? '：' : ': ';
    for (const band of ['peak', 'flat', 'valley'] as const)
      expect(
        drawer.getByText(tariffBandWords[band][language] + colon + sentence('tariff.price', language)),
      ).toBeTruthy();
    expect(drawer.getByDisplayValue('KZT')).toBeTruthy();
  },
);

test('the tariff of a project is set only by who manages the whole project', async () => {
  for (const [partialProjects, shown] of [
    [[], 1],
    [[7], 0],
  ] as const) {
    await setStage({
      words: { statistics, common },
      permissions: ['tariff.write'],
      everyProject: false,
      partialProjects: [...partialProjects],
      replies: { '/statistics/get_tariffs': () => ({ list: [] }) },
    });
    showAt(<TariffDrawer projectId={7} projectName="Mill" onClose={() => undefined} />);
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByText(statistics.tariff.noneOwn);
    expect(drawer.queryAllByRole('button', { name: statistics.tariff.add })).toHaveLength(shown);
    cleanup();
  }
});
