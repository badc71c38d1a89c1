import locale from 'antd/es/locale/en_US.js';
import { messages } from '#web/features/messages/words/en-US.ts';
import { popups } from '#web/features/popups/words/en-US.ts';
import { common } from '#web/parts/words/en-US.ts';
import { shell } from '../shell/words/en-US.ts';

/** The words of every screen. A feature's words are loaded with it: see `feature.ts`. */
export const words = { common, shell, messages, popups };
export { locale };
