import { dashboard } from '../../features/dashboard/words/zh-CN.ts';
import { door } from '../../features/door/words/zh-CN.ts';
import { profile } from '../../features/profile/words/zh-CN.ts';
import { common } from '../../parts/words/zh-CN.ts';
import { shell } from '../shell/words/zh-CN.ts';

export const words = { common, shell, door, profile, dashboard };
