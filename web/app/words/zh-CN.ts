import locale from 'antd/es/locale/zh_CN.js';
import { messages } from '#web/features/messages/words/zh-CN.ts';
import { popups } from '#web/features/popups/words/zh-CN.ts';
import { common } from '#web/parts/words/zh-CN.ts';
import { shell } from '../shell/words/zh-CN.ts';

/** The words of every screen. A feature's words are loaded with it: see `feature.ts`. */
export const words = { common, shell, messages, popups };
export { locale };
