import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { PlacesDrawer } from './PlacesDrawer.tsx';
import { dashboard } from './words/en-US.ts';

afterEach(cleanup);

test('a project of the map leads to its diagram, where each device is a link', async () => {
  await setStage({
    words: { dashboard, common },
    replies: {
      '/index/get_project_places': {
        list: [
          { project_id: 3, name: 'Bay Tower', kind: 'office', region: 'Guangdong', devices: 2, online: 1 },
        ].map((place) => ({ ...place, unprocessed: 0, active: 0, worst: 0 })),
      },
    },
  });
  showAt(<PlacesDrawer ids={[3]} onClose={() => undefined} />);
  const link = await screen.findByRole('link', { name: 'Bay Tower' });
  expect(link.getAttribute('href')).toBe('/home/configinfo/devicesurvey?project_id=3');
});
