import chinaAddress from '../../geo/china.json?url';
import type { Look } from '../chart/look.ts';

interface Province {
  properties: { name: string; latin: string };
}
let latinNames: Readonly<Record<string, string>> = {};

/** Brings the offline map and tells the engine of it. */
export const prepareChina = async (): Promise<void> => {
  const [{ registerMap }, china] = await Promise.all([
    import('../chart/engine.ts'),
    fetch(chinaAddress).then((response) => response.json()),
  ]);
  latinNames = Object.fromEntries(
    (china.features as Province[]).map(({ properties }) => [properties.name, properties.latin]),
  );
  // Under this very name the engine draws the inset of the South China Sea by itself.
  registerMap('china', china);
};

/** The ground that places are drawn on. */
export const geoOf = ({ palette, fontSize }: Look, isChinese: boolean) => ({
  map: 'china',
  roam: true,
  scaleLimit: { min: 1, max: 24 },
  ...(isChinese ? {} : { nameMap: latinNames }),
  label: { show: false },
  tooltip: { show: false },
  itemStyle: { areaColor: palette.page, borderColor: palette.border },
  emphasis: {
    label: { show: true, color: palette.textSoft, fontSize },
    itemStyle: { areaColor: palette.border },
  },
  select: { disabled: true },
});
