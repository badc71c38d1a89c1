import locale from 'antd/es/locale/ru_RU.js';
import { messages } from '#web/features/messages/words/ru-RU.ts';
import { popups } from '#web/features/popups/words/ru-RU.ts';
import { common } from '#web/parts/words/ru-RU.ts';
import { shell } from '../shell/words/ru-RU.ts';

/** The words of every screen. A feature's words are loaded with it: see `feature.ts`. */
export const words = { common, shell, messages, popups };
export { locale };
