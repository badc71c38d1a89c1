import { useTranslation } from 'react-i18next';
import type { demo } from './words/en-US.ts';

export interface SceneWords {
  name: string;
  what: string;
}
/** Name and explanation of a scene by its id. */
export const useSceneWords = (): ((scene: string) => SceneWords) => {
  const { t } = useTranslation('demo');
  return (scene) => {
    const key = scene as keyof typeof demo.scene;
    return { name: t(($) => $.scene[key].name), what: t(($) => $.scene[key].what) };
  };
};
