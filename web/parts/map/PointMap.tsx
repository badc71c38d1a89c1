import { useEffect, useRef, useState } from 'react';
import { GroundBox } from './GroundBox.tsx';
import type { Point } from './gcj02.ts';
import type { Ground } from './ground.ts';

/** A seventh digit would be a centimetre. */
const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;

/** One place on the map; a click selects another. */
export const PointMap = ({
  title,
  name,
  point,
  height,
  onPick,
}: {
  title: string;
  name: string;
  point: Point | null;
  height: number;
  /** Null where it cannot be moved. */
  onPick: ((point: Point) => void) | null;
}) => {
  const [ground, setGround] = useState<Ground | null>(null);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  /** The map whose view has been set: selecting a point must not move the map under the pointer. */
  const settled = useRef<Ground | null>(null);
  useEffect(
    () =>
      ground?.onClick(({ lat, lng }) => {
        settled.current = ground;
        pick.current?.({ lat: rounded(lat), lng: rounded(lng) });
      }),
    [ground],
  );
  const { lat, lng } = point ?? {};
  useEffect(() => {
    if (!ground || lat === undefined || lng === undefined) return;
    if (settled.current === ground) ground.reveal({ lat, lng });
    else ground.show([{ lat, lng }]);
    settled.current = ground;
    const pin = document.createElement('span');
    pin.className = 'map-pin';
    pin.title = name;
    pin.role = 'img';
    pin.ariaLabel = name;
    return ground.mark(pin, { lat, lng }, 'foot');
  }, [ground, lat, lng, name]);
  return <GroundBox title={title} height={height} onGround={setGround} />;
};
