import type { Language } from '#contract/languages.ts';
import chinaAddress from '../../geo/china.json?url';
import type { Look } from '../chart/look.ts';

interface Province {
  properties: { name: string; latin: string; cyrillic: string };
}
/** Names of provinces by their Chinese ones. */
type Names = Readonly<Record<string, string>>;
let names: { 'en-US': Names; 'ru-RU': Names } = { 'en-US': {}, 'ru-RU': {} };

/** Loads the offline map and registers it with the engine. */
export const prepareChina = async (): Promise<void> => {
  const [{ registerMap }, china] = await Promise.all([
    import('../chart/engine.ts'),
    fetch(chinaAddress).then((response) => response.json()),
  ]);
  const inScript = (script: 'latin' | 'cyrillic'): Names =>
    Object.fromEntries(
      (china.features as Province[]).map(({ properties }) => [properties.name, properties[script]]),
    );
  names = { 'en-US': inScript('latin'), 'ru-RU': inScript('cyrillic') };
  // Under this very name the engine draws the inset of the South China Sea by itself.
  registerMap('china', china);
};

/** The ground that places are drawn on. */
export const geoOf = ({ palette, fontSize }: Look, language: Language) => ({
  map: 'china',
  roam: true,
  scaleLimit: { min: 1, max: 24 },
  ...(language === 'zh-CN' ? {} : { nameMap: names[language] }),
  label: { show: false },
  tooltip: { show: false },
  itemStyle: { areaColor: palette.page, borderColor: palette.border },
  emphasis: {
    label: { show: true, color: palette.textSoft, fontSize },
    itemStyle: { areaColor: palette.border },
  },
  select: { disabled: true },
});
