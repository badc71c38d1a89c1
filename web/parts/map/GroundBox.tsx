import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { announce } from '#web/api/announce.ts';
import { Fault } from '#web/api/fault.ts';
import { usePrefs } from '#web/theme/prefs.ts';
import { inTime } from '../late.tsx';
import type { Ground, GroundStart } from './ground.ts';
import './map.css';
import { type Source, useSources } from './sources.ts';

const open = async (box: HTMLElement, source: Source, start: GroundStart): Promise<Ground> => {
  switch (source.kind) {
    case 'script':
      return (await inTime(() => import('./provider-ground.ts'))).openProviderGround(
        box,
        source.script,
        start,
      );
    case 'tiles':
      return (await inTime(() => import('./street-ground.ts'))).openStreetGround(box, source.tiles, start);
    case 'offline':
      return (await inTime(() => import('./offline-ground.ts'))).openOfflineGround(box, start);
  }
};

/**
 * A map for marks, with zoom buttons. A map that cannot be shown is replaced by the next one, down to the
 * offline map, with a sentence. `onGround` gets the map when it is ready, and null when it is removed.
 */
export const GroundBox = ({
  title,
  height,
  onGround,
}: {
  title: string;
  height: number | string;
  onGround: (ground: Ground | null) => void;
}) => {
  const { t, i18n } = useTranslation('common');
  const dark = usePrefs((prefs) => prefs.scheme) === 'dark';
  const sources = useSources();
  const [failed, setFailed] = useState(0);
  const source = sources[failed] ?? sources.at(-1)!;
  const box = useRef<HTMLDivElement>(null);
  const [ground, setGround] = useState<Ground | null>(null);
  const twoFingers = t(($) => $.map.twoFingers);
  const begin = useRef({ title, dark, twoFingers });
  const { language } = i18n;
  useEffect(() => {
    if (!box.current) return;
    const own = document.createElement('div');
    own.className = 'map-own';
    box.current.append(own);
    let gone = false;
    let made: Ground | null = null;
    const next = () => {
      if (!gone) setFailed((count) => Math.min(count + 1, sources.length - 1));
    };
    open(own, source, { ...begin.current, language, onFail: next })
      .then((opened) => {
        made = opened;
        if (gone) opened.remove();
        else setGround(opened);
      })
      .catch((error: unknown) => {
        if (error instanceof Fault) announce(error);
        next();
      });
    return () => {
      gone = true;
      setGround(null);
      made?.remove();
      own.remove();
    };
  }, [source, sources, language]);
  useEffect(() => onGround(ground), [ground, onGround]);
  useEffect(() => ground?.setDark(dark), [ground, dark]);
  return (
    <section className="map-frame" style={{ height }} aria-label={title}>
      <div ref={box} className={`map-ground is-${source.kind}`} />
      <div className="map-zoom">
        <Button aria-label={t(($) => $.map.zoomIn)} onClick={() => ground?.zoomBy(1)}>
          +
        </Button>
        <Button aria-label={t(($) => $.map.zoomOut)} onClick={() => ground?.zoomBy(-1)}>
          −
        </Button>
      </div>
      {source.kind === 'offline' && (
        <p className="map-note">
          {failed > 0 && <span role="status">{t(($) => $.map.failed)} </span>}
          {t(($) => $.map.schematic)}
        </p>
      )}
    </section>
  );
};
