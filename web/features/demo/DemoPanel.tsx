import { ExperimentOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { demoEndpoints } from '#contract/demo.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useClear } from '#web/parts/use-clear.tsx';
import './demo.css';
import { SceneItem } from './SceneItem.tsx';
import { useSceneWords } from './use-scene-words.ts';

const askMs = 3_000;

/** Plays scenes on a simulated device and explains what each shows. */
export const DemoPanel = ({ deviceId, number }: { deviceId: number; number: string }) => {
  const { t } = useTranslation('demo');
  const reload = useReload(demoEndpoints.scenes);
  const wordsOf = useSceneWords();
  const [open, setOpen] = useState(false);
  const clear = useClear();
  const [sought, setSought] = useState('');
  const [line, setLine] = useState<number | undefined>();
  const [busy, setBusy] = useState(false);
  const query = useQuery({
    ...endpointQuery(demoEndpoints.scenes, { device_id: deviceId }),
    refetchInterval: open ? askMs : false,
  });
  const lines = useQuery({ ...endpointQuery(lineEndpoints.list, { device_id: deviceId }), enabled: open });
  const playing = query.data?.playing.find(({ device_id }) => device_id === deviceId)?.scene;

  const order = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(async () => {
      await work();
    });
    await reload();
    setBusy(false);
  };
  const play = (scene: string) =>
    void order(() =>
      call(demoEndpoints.play, {
        device_id: deviceId,
        scene,
        ...(line === undefined ? {} : { line_id: line }),
      }),
    );
  const stop = () => void order(() => call(demoEndpoints.stop, { device_id: deviceId }));
  const fits = (scene: string) => {
    const { name, what } = wordsOf(scene);
    return `${name} ${what}`.toLowerCase().includes(sought.trim().toLowerCase());
  };

  // A device that is not simulated has no scenes.
  if ((query.error && !query.data) || query.data?.list.length === 0) return null;
  return (
    <>
      <Button
        type="dashed"
        className="demo-door"
        icon={<ExperimentOutlined aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t(($) => $.mark)} · {playing ? t(($) => $.now, { scene: wordsOf(playing).name }) : t(($) => $.open)}
      </Button>
      <Drawer open={open} onClose={() => setOpen(false)} size={460} title={t(($) => $.title, { number })}>
        <p className="soft">
          {t(($) => $.intro)} {t(($) => $.ends)}
        </p>
        <div className="demo-now" role="status">
          {playing ? (
            <>
              <strong>{t(($) => $.now, { scene: wordsOf(playing).name })}</strong>
              <Button danger loading={busy} onClick={stop}>
                {t(($) => $.stop)}
              </Button>
            </>
          ) : (
            t(($) => $.idle)
          )}
        </div>
        <p>
          <PathLink to={paths.device(deviceId, { tab: 'alarms' })}>{t(($) => $.toAlarms)}</PathLink>
        </p>
        <div className="demo-choice">
          <Input
            allowClear={clear}
            value={sought}
            placeholder={t(($) => $.find)}
            aria-label={t(($) => $.find)}
            onChange={(event) => setSought(event.target.value)}
          />
          {(lines.data?.list.length ?? 0) > 1 && (
            <Select
              aria-label={t(($) => $.line)}
              value={line ?? lines.data?.list[0]?.line_id ?? null}
              onChange={(chosen: number | null) => setLine(chosen ?? undefined)}
              options={(lines.data?.list ?? []).map((each) => ({
                value: each.line_id,
                label: `${t(($) => $.line)} ${each.n} ${each.name}`,
              }))}
            />
          )}
        </div>
        <DataState
          query={query}
          rows={8}
          isEmpty={({ list }) => !list.some(({ scene }) => fits(scene))}
          empty={t(($) => $.none)}
        >
          {({ list }) => (
            <ul className="plain-list demo-scenes">
              {list
                .filter(({ scene }) => fits(scene))
                .map((scene) => (
                  <SceneItem
                    key={scene.scene}
                    scene={scene}
                    words={wordsOf(scene.scene)}
                    playing={scene.scene === playing}
                    busy={busy}
                    onPlay={() => play(scene.scene)}
                  />
                ))}
            </ul>
          )}
        </DataState>
      </Drawer>
    </>
  );
};
