import { lazy, Suspense } from 'react';
import { useSignedIn } from '../../api/session.ts';
import { addWords } from '../../i18n/i18n.ts';

const words = {
  'zh-CN': () => import('./words/zh-CN.ts'),
  'en-US': () => import('./words/en-US.ts'),
  'ru-RU': () => import('./words/ru-RU.ts'),
};
const DemoPanel = lazy(async () => {
  const panel = import('./DemoPanel.tsx');
  await addWords(async (language) => ({ demo: (await words[language]()).demo }));
  return { default: (await panel).DemoPanel };
});

/** The way to the scenes of a simulated device; nothing at all outside the demonstration. */
export const DemoDoor = (device: { deviceId: number; number: string }) => {
  const { demo, permissions } = useSignedIn();
  if (!demo || !permissions.includes('demo.run')) return null;
  return (
    <Suspense fallback={null}>
      <DemoPanel {...device} />
    </Suspense>
  );
};
