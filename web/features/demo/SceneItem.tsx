import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { demoEndpoints } from '#contract/demo.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useFormats } from '#web/i18n/format.ts';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import type { SceneWords } from './use-scene-words.ts';

type Scene = ReplyOf<typeof demoEndpoints.scenes>['list'][number];

export const SceneItem = ({
  scene: { codes, seconds },
  words: { name, what },
  playing,
  busy,
  onPlay,
}: {
  scene: Scene;
  words: SceneWords;
  playing: boolean;
  busy: boolean;
  onPlay: () => void;
}) => {
  const { t, i18n } = useTranslation('demo');
  const { list: listOf } = useFormats();
  const alarms = listOf(codes.map((code) => alarmTypeName(code, i18n.language)));
  return (
    <li>
      <div>
        <h3>{name}</h3>
        <p>{what}</p>
        <p className="soft">
          {alarms === '' ? t(($) => $.quiet) : `${t(($) => $.expected)} ${alarms}`}
          {seconds !== null && ` · ${t(($) => $.after, { count: seconds })}`}
        </p>
      </div>
      <Button
        disabled={busy || playing}
        aria-label={`${t(($) => $.play)}: ${name}`}
        aria-pressed={playing}
        onClick={onPlay}
      >
        {t(($) => $.play)}
      </Button>
    </li>
  );
};
