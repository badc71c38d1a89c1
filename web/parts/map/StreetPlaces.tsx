import { LngLatBounds, Marker } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clusterPlaces, namesOf } from './cluster.ts';
import type { PlacesProps } from './places-props.ts';
import { degreesOf, onTiles, type Start, useGround } from './street-map.ts';
import type { Tiles } from './tiles.ts';

/** Marks closer than this are gathered. */
const markPixels = 44;
const country: Start = { center: { lng: 104, lat: 36 }, zoom: 2.8 };
const roomPixels = 48;
/** A single place is shown with its neighbourhood. */
const streets = 15;

/** Places on street tiles, coloured and shaped by their worst state, gathered where they would overlap: from the country to the street. */
export const StreetPlaces = ({
  tiles,
  title,
  places,
  height,
  onPick,
  closer,
}: PlacesProps & { tiles: Tiles }) => {
  const { t } = useTranslation('common');
  const { box, ground } = useGround(tiles, country);
  const [zoom, setZoom] = useState(country.zoom);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  const first = useRef(places);
  useEffect(() => {
    if (!ground) return;
    const follow = () => setZoom(ground.getZoom());
    ground.on('zoomend', follow);
    if (closer && first.current.length > 0) {
      const bounds = new LngLatBounds();
      for (const place of first.current) bounds.extend(onTiles(tiles, place));
      ground.fitBounds(bounds, { padding: roomPixels, maxZoom: streets, animate: false });
    }
    follow();
    return () => void ground.off('zoomend', follow);
  }, [ground, closer, tiles]);
  useEffect(() => {
    if (!ground) return;
    const marks = clusterPlaces(places, degreesOf(markPixels, zoom)).map((cluster) => {
      const element = document.createElement('button');
      const { length } = cluster.places;
      const [only] = cluster.places;
      element.type = 'button';
      element.className = `street-mark street-mark-${cluster.worst}${length > 1 ? ' is-many' : ''}`;
      element.textContent = length > 1 ? String(length) : '';
      element.title = namesOf(cluster);
      const state = t(($) => $.map.worst[String(cluster.worst) as '0']);
      element.setAttribute(
        'aria-label',
        `${length > 1 ? t(($) => $.map.many, { count: length }) : (only?.name ?? '')}, ${state}`,
      );
      element.addEventListener('click', () => pick.current(cluster.places.map(({ id }) => id)));
      return new Marker({ element }).setLngLat(onTiles(tiles, cluster)).addTo(ground);
    });
    return () => {
      for (const mark of marks) mark.remove();
    };
  }, [ground, places, zoom, tiles, t]);
  return <section ref={box} className="street-map" style={{ height }} aria-label={title} />;
};
