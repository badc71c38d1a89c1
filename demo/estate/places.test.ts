import { describe, expect, it } from 'vitest';
import { readRegions } from '#database/seed/regions.ts';
import { places } from './places.ts';

const byId = new Map(readRegions().map((region) => [region.id, region]));

describe('places of the demo estate', () => {
  it('places of the demo estate differ in kind, name and telephone number', () => {
    for (const key of ['kind', 'name', 'contact_phone'] as const)
      expect(new Set(places.map((place) => place[key])).size).toBe(12);
    expect(new Set(places.map((place) => Math.floor(place.region_id / 10_000))).size).toBeGreaterThan(9);
  });

  it('each place lies in a district of the tree of regions, near its centre', () => {
    for (const place of places) {
      const region = byId.get(place.region_id);
      expect(region?.level).toBe(3);
      expect(Math.hypot(region!.lat - place.lat, region!.lng - place.lng)).toBeLessThan(1);
    }
  });

  it('places of the demo estate have texts that a user could enter in the form', () => {
    for (const place of places) {
      expect(place.contact_phone).toMatch(/^1380000\d{4}$/);
      expect(place.contact_name.length).toBeGreaterThanOrEqual(2);
      expect(place.contact_name.length).toBeLessThanOrEqual(4);
      expect(new Set(place.parts).size).toBe(place.parts.length);
      expect(place.parts.length).toBeGreaterThan(1);
    }
  });
});
