/**
 * Statistics screens: their numbers in table, chart, spreadsheet and database, and their messages about bad
 * input.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { answerTo, chartColumn, column, expectShown, exported, numberOf, serious, soon } from './figures.ts';
import { type House, openDemoHouse } from './house.ts';
import { moveTo, settled } from './move.ts';

let house: House;
let project: number;
beforeAll(async () => {
  house = await openDemoHouse();
  project = (await house.db.selectFrom('projects').select('id').orderBy('id').executeTakeFirstOrThrow()).id;
});
afterAll(() => house?.stop());

const inProject = (page: string, query = '') =>
  `${house.url}/home/configinfo/${page}?project_id=${project}${query}`;
const inSettings = (page: string, query = '') =>
  `${house.url}/home/configinfos/${page}?project_id=${project}${query}`;
/** A day of the previous month, in the format of the address. */
const lastMonth = () => {
  const now = new Date(Date.now() + 8 * 3_600_000);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 10)).toISOString().slice(0, 10);
};

interface Bucket {
  at: string;
  to: string;
  kwh: number;
}
describe('energy consumption details', () => {
  it('energy consumption details draw the server’s answer in the chosen settings, with the chart as a table', async () => {
    const page = await house.pageOf(house.admin);
    const found = await answerTo(page, '/energy_detail', () =>
      page.goto(inSettings('energydetail', `&period=month&date=${lastMonth()}&unit=0`)),
    );
    const wanted = (found as unknown as { buckets: Bucket[] }).buckets.map(({ kwh }) => kwh);
    await page.getByRole('button', { name: 'Table: Energy over time' }).waitFor();
    const title = page.getByRole('figure', { name: 'Energy over time' });
    await title.getByRole('button', { name: 'Table: Energy over time' }).click();
    await soon(async () => {
      const drawn = await title
        .locator('.numbers tbody tr[aria-rowindex]')
        .evaluateAll((shown) => shown.map((row) => (row as HTMLTableRowElement).cells[1]?.textContent ?? ''));
      expectShown(drawn.map(numberOf), wanted);
    });
    await page.context().close();
  });
});

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('alarm statistics', () => {
  it.each(['settings', 'project'])(
    'alarm statistics agree with the database, in the %s, with presets and days in the address',
    async (view) => {
      const page = await house.pageOf(house.admin);
      const [path, of] =
        view === 'settings' ? ['alarmstatisticsShezhi', inSettings] : ['alarmstatistics', inProject];
      await page.goto(of(path));
      await answerTo(page, '/get_statistics', () =>
        page.getByText('Last three months', { exact: true }).click(),
      );
      await page.waitForURL(/range=quarter/);
      const [first, last] = [-40, -4].map(day);
      const found = (await answerTo(
        page,
        '/get_statistics',
        () => page.goto(of(path, `&first_day=${first}&last_day=${last}`)),
        first,
      )) as unknown as { from: string; to: string; total: { raised: number }; days: { alarms: number }[] };
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from counted_alarms() a where a.raised_at >= ${found.from}::timestamptz
          and a.raised_at < ${found.to}::timestamptz
          and ${view === 'project' ? sql`a.project_id = ${project}` : sql`true`}`.execute(house.db);
      expect(found.total.raised).toBe(rows[0]!.count);
      expect(found.total.raised).toBeGreaterThan(0);
      await soon(async () => {
        const shown = await page.locator('.figure', { hasText: 'Raised' }).locator('a').first().textContent();
        expect(numberOf(shown!)).toBe(found.total.raised);
      });
      expect(await chartColumn(page, 'By day', 1)).toEqual(found.days.map(({ alarms }) => alarms));
      const { rows: sheet } = await exported(page);
      expect(Number(sheet[0]![2])).toBe(found.total.raised);
      expect(await serious(page)).toEqual([]);
      await page.context().close();
    },
  );

  it('alarm statistics rank projects and devices, and the alarms add up to those of the range', async () => {
    const page = await house.pageOf(house.admin);
    // Past days, because a new alarm of the running product would change the screen after the answer.
    const found = (await answerTo(page, '/get_statistics', () =>
      page.goto(inSettings('policestatistics', `&first_day=${day(-90)}&last_day=${day(-4)}`)),
    )) as unknown as { projects: { raised: number }[]; devices: { raised: number }[] };
    expect(found.devices.length).toBeGreaterThan(0);
    await soon(async () => {
      expect(await column(page, 'Devices with the most alarms', 2)).toEqual(
        found.devices.map(({ raised }) => raised),
      );
    });
    expect(await column(page, 'Projects with the most alarms', 1)).toEqual(
      found.projects.map(({ raised }) => raised),
    );
    expect(await serious(page)).toEqual([]);
    await page.context().close();
  });
});

describe('on paper', () => {
  const paperWidth = 660;
  it.each([
    ['energydetail', 'Energy over time', 28],
    ['epstatistics', 'Compared with the previous period and the year before', 28],
    ['loadstatistics', 'Load curve', 0],
    ['alarmstatistics', 'By day', 28],
  ] as const)(
    '%s has project, period, whole charts, their numbers and page numbers',
    async (screen, chart, fewest) => {
      const page = await house.pageOf(house.admin);
      await page.goto(inProject(screen, `&period=month&date=${lastMonth()}`));
      await page.getByRole('figure', { name: chart }).locator('canvas').first().waitFor();
      await settled(page);
      await page.emulateMedia({ media: 'print' });
      const { name } = await house.db
        .selectFrom('projects')
        .select('name')
        .where('id', '=', project)
        .executeTakeFirstOrThrow();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(name);
      await page
        .locator('.shell-main :visible')
        .getByText(/\d{4} – .*\d{4}/)
        .first()
        .waitFor();
      expect(
        await page.locator('.shell-main button:visible:not(.chart-legend button, .link-button)').count(),
      ).toBe(0);
      const drawn = await page.locator('.chart canvas').evaluateAll((all) =>
        all.map((canvas) => {
          const room = canvas.closest('.chart-drawing, .chart-canvas')!;
          return { width: canvas.getBoundingClientRect().width, apart: getComputedStyle(room).breakInside };
        }),
      );
      expect(drawn.length).toBeGreaterThan(0);
      for (const { width, apart } of drawn) {
        expect(width).toBeLessThanOrEqual(paperWidth);
        expect(apart).toBe('avoid');
      }
      const rows = page.locator('section, figure', { has: page.getByRole('figure', { name: chart }) });
      expect(
        await rows
          .or(page.getByRole('region', { name: chart }))
          .locator('tbody tr:visible')
          .count(),
      ).toBeGreaterThanOrEqual(fewest);
      // Browsers do not print background colours, such as those of a legend, unless the style requires it.
      for (const print of await page
        .locator('.chart-sign')
        .evaluateAll((signs) => signs.map((sign) => getComputedStyle(sign).printColorAdjust)))
        expect(print).toBe('exact');
      expect(
        await page.evaluate(() =>
          [...document.styleSheets].some((sheet) =>
            [...sheet.cssRules].some((rule) => /@page.*@bottom-right.*counter\(page\)/s.test(rule.cssText)),
          ),
        ),
      ).toBe(true);
      const pages = (await page.pdf({ preferCSSPageSize: true }))
        .toString('latin1')
        .match(/\/Type\s*\/Page\b/g);
      expect(pages!.length).toBeGreaterThan(1);
      await page.context().close();
    },
  );

  it('an empty ledger of corrections takes no room on paper', async () => {
    const page = await house.pageOf(house.admin);
    await page.goto(inProject('energydetail', `&period=month&date=${lastMonth()}`));
    const empty = page.getByText('Nothing was corrected.');
    await empty.waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await empty.isVisible()).toBe(false);
    await page.context().close();
  });

  it('a site diagram prints its busbars', async () => {
    const page = await house.pageOf(house.admin);
    await page.goto(inProject('devicesurvey', ''));
    const bus = page.locator('.site-bus');
    await bus.waitFor();
    const ofPaper = () => bus.evaluate((bar) => getComputedStyle(bar).getPropertyValue('print-color-adjust'));
    expect(await ofPaper()).toBe('economy');
    await page.emulateMedia({ media: 'print' });
    expect(await ofPaper()).toBe('exact');
    await page.context().close();
  });

  it('weekdays of the hours of a week stay on one line in print, in Chinese too', async () => {
    const page = await house.pageOf(house.admin, { language: 'zh-CN', width: 660 });
    await page.goto(inProject('alarmstatistics', '&range=quarter'));
    const day = page.locator('.week-grid tbody th').first();
    await day.waitFor();
    await page.emulateMedia({ media: 'print' });
    const { height, lineHeight } = await day.evaluate((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return {
        height: range.getBoundingClientRect().height,
        lineHeight: Number.parseFloat(getComputedStyle(cell).lineHeight),
      };
    });
    expect(height).toBeLessThan(1.5 * lineHeight);
    await page.context().close();
  });
});

describe('the message of a screen about bad input', () => {
  it.each(languages)('names the error of the range, in %s', async (language) => {
    const page = await house.pageOf(house.admin, { language });
    await page.goto(`${house.url}/home/projectlist`);
    await settled(page);
    const says = async (address: string, sentence: string) => {
      await moveTo(page, address);
      await page.getByText(sentence).first().waitFor();
    };
    const reversed = `&first_day=${day(-1)}&last_day=${day(-9)}`;
    for (const screen of ['energydetail', 'epstatistics', 'loadstatistics']) {
      await says(inProject(screen, `&period=custom${reversed}`), faults['range.order'][language]);
      await says(inSettings(screen, `&period=day&date=${day(40)}`), faults['range.future'][language]);
    }
    for (const screen of ['alarmstatistics', 'policestatistics'])
      await says(inProject(screen, reversed), faults['range.order'][language]);
    await page.context().close();
  });

  it.each([
    [
      'energydetail',
      '&period=month&date=2001-01-01',
      /Nothing was recorded in this range\. Figures begin on/,
    ],
    ['epstatistics', '&period=month&date=2001-01-01', /Nothing was recorded in this range/],
    ['loadstatistics', '&period=month&date=2001-01-01', /Nothing was recorded in this range/],
    ['alarmstatistics', '&first_day=2001-01-01&last_day=2001-02-01', /No alarm was raised in this range/],
    ['alarmstatistics', `&first_day=${day(30)}&last_day=${day(40)}`, /lies in the future/],
  ])('%s with %s explains why there is no data', async (screen, query, sentence) => {
    const page = await house.pageOf(house.admin);
    await page.goto(inProject(screen, query));
    await page.getByText(sentence).first().waitFor();
    await page.context().close();
  });
});
