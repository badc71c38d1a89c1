import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { drawnPercent, usePrefs } from '#web/theme/prefs.ts';
import { clusterPlaces, type Place } from './cluster.ts';
import { GroundBox } from './GroundBox.tsx';
import type { Ground } from './ground.ts';
import { type Mark, renewMarks } from './map-marks.ts';

/** Marks closer than this are combined (at normal text size), so that each can be hit by a thumb. */
const usualPixels = 44;

/**
 * Places on a map, coloured and shaped by their worst state, combined where they would overlap: from the
 * country to the street.
 */
export const MapView = ({
  title,
  places,
  height,
  onPick,
}: {
  title: string;
  places: readonly Place[];
  height: number | string;
  onPick: (ids: readonly number[]) => void;
}) => {
  const { t } = useTranslation('common');
  const [ground, setGround] = useState<Ground | null>(null);
  const markPixels = (usualPixels * usePrefs(drawnPercent)) / 100;
  const [apart, setApart] = useState<number | null>(null);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  // The map begins with the places in view. Later ones must not move it while it is used.
  const shown = useRef<Ground | null>(null);
  useEffect(() => {
    if (!ground || shown.current === ground || places.length === 0) return;
    shown.current = ground;
    ground.show(places);
    setApart(ground.degreesOf(markPixels));
  }, [ground, places, markPixels]);
  useEffect(() => {
    if (!ground) return;
    const follow = () => setApart(ground.degreesOf(markPixels));
    follow();
    return ground.onZoom(follow);
  }, [ground, markPixels]);
  const held = useRef({ ground, marks: new Map<number, Mark>() });
  useEffect(() => {
    if (!ground || apart === null) return;
    // A removed map also removes its marks.
    if (held.current.ground !== ground) held.current = { ground, marks: new Map() };
    renewMarks(held.current.marks, ground, clusterPlaces(places, apart), {
      apart,
      labelOf: ({ places: [only, ...others], worst }) => {
        const state = t(($) => $.map.worst[String(worst) as '0']);
        return `${others.length > 0 ? t(($) => $.map.many, { count: others.length + 1 }) : (only?.name ?? '')}, ${state}`;
      },
      onPick: (ids) => pick.current(ids),
    });
  }, [ground, places, apart, t]);
  return <GroundBox title={title} height={height} onGround={setGround} />;
};
