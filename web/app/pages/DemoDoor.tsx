import { useSignedIn } from '#web/api/session.ts';
import { late } from '#web/parts/late.tsx';
import { withWords } from '../feature.ts';

const DemoPanel = late(
  withWords(['demo'], async () => (await import('#web/features/demo/DemoPanel.tsx')).DemoPanel),
  <span className="button-room" />,
);

/** Link to the scenes of a simulated device; nothing outside the demo. */
export const DemoDoor = (device: { deviceId: number; number: string }) => {
  const { demo, permissions } = useSignedIn();
  return demo && permissions.includes('demo.run') ? <DemoPanel {...device} /> : null;
};
