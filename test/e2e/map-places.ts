import { makeAlarm } from '../alarm-factory.ts';
import { makeDevice, makeProject } from '../factories.ts';
import type { House } from './house.ts';

/** Some places are near each other and others far, so that each zoom level combines other marks. */
const cities = [
  { name: 'Hangzhou', lat: 30.25, lng: 120.15 },
  { name: 'Beijing', lat: 39.9, lng: 116.4 },
  { name: 'Jinan', lat: 36.65, lng: 117.1 },
  { name: 'Nanjing', lat: 32.05, lng: 118.8 },
  { name: 'Wuhan', lat: 30.6, lng: 114.3 },
  { name: 'Xi’an', lat: 34.3, lng: 108.9 },
  { name: 'Chengdu', lat: 30.6, lng: 104.1 },
  { name: 'Guangzhou', lat: 23.1, lng: 113.3 },
  { name: 'Shenzhen', lat: 22.5, lng: 113.9 },
] as const;

/**
 * Projects over China, the only one of its province first. It has a device with a point of its own, and an alarm is
 * active at another.
 */
export const placedProjects = async ({ db, pool }: House) => {
  const { id: region } = await db
    .selectFrom('regions')
    .select('id')
    .where('merger_name', 'like', '浙江省%')
    .where('level', '=', 3)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const projects = [];
  for (const [index, city] of cities.entries())
    projects.push(await makeProject(db, { ...city, ...(index === 0 ? { region_id: region } : {}) }));
  const [first, second] = projects as [(typeof projects)[0], (typeof projects)[0]];
  const device = await makeDevice(db, { type: 3, project_id: first.id });
  const point = { lat: first.lat + 0.001, lng: first.lng + 0.001 };
  await db.updateTable('devices').set(point).where('id', '=', device.id).execute();
  await makeAlarm(pool, await makeDevice(db, { type: 3, project_id: second.id }), {
    at: Date.now() - 60_000,
  });
  return {
    place: {
      ...{ id: first.id, name: first.name, lat: first.lat, lng: first.lng },
      province: Math.floor(region / 10_000) * 10_000,
    },
    device: { id: device.id, ...point },
  };
};
