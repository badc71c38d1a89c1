import type { MapScript, MapTiles } from '#contract/session.ts';
import type { SettingName } from '#contract/settings.ts';
import type { Db } from '#database/connect.ts';
import type { Config } from './config.ts';
import { readSettings } from './installation-settings.ts';

type GivenMap = Config['map'];

/** Settings that a variable of the server decides: nobody can change them in the console. */
export type FixedSettings = ReadonlyMap<SettingName, { variable: string; value: string }>;

export const settingsFixedBy = ({ tileUrl, tileCrs, tileAttribution }: GivenMap): FixedSettings =>
  new Map(
    tileUrl === undefined
      ? []
      : [
          ['map.tileUrl', { variable: 'MAP_TILE_URL', value: tileUrl }],
          ['map.tileCrs', { variable: 'MAP_TILE_CRS', value: tileCrs }],
          ['map.tileAttribution', { variable: 'MAP_TILE_ATTRIBUTION', value: tileAttribution ?? '' }],
        ],
  );

/** The map of the installation at present: tiles of the variables, else of the settings. */
export const presentMap = async (db: Db, variables: GivenMap): Promise<GivenMap> => {
  if (variables.tileUrl !== undefined) return variables;
  const { tileUrl, ...tiles } = await readSettings(db, 'map');
  return { ...variables, ...tiles, tileUrl: tileUrl || undefined };
};

/** The settings that the console of a signed-in user needs to draw the map. */
export const mapForConsole = ({ tileUrl, tileCrs, tileAttribution, script }: GivenMap) => ({
  ...(tileUrl !== undefined && {
    map_tiles: { address: tileUrl, crs: tileCrs, attribution: tileAttribution ?? '' } satisfies MapTiles,
  }),
  ...(script && {
    map_script: {
      address: script.url,
      provider: script.provider,
      ...(script.security !== undefined && { security: script.security }),
    } satisfies MapScript,
  }),
});
