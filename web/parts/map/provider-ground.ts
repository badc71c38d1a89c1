/** Maps of a provider's script: loaded only if the installation has configured one. */
import type { MapScript } from '#contract/session.ts';
import { amapGround } from './amap.ts';
import { baiduGround } from './baidu.ts';
import { googleGround } from './google.ts';
import type { Ground, GroundStart } from './ground.ts';
import { loadProvider } from './provider-script.ts';

const grounds = { amap: amapGround, baidu: baiduGround, google: googleGround };

/** Opens the provider's map in the box. */
export const openProviderGround = async (
  box: HTMLElement,
  script: MapScript,
  start: GroundStart,
): Promise<Ground> => {
  await loadProvider(script);
  return grounds[script.provider](box, start);
};
