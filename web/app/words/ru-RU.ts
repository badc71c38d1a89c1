import { dashboard } from '../../features/dashboard/words/ru-RU.ts';
import { door } from '../../features/door/words/ru-RU.ts';
import { profile } from '../../features/profile/words/ru-RU.ts';
import { common } from '../../parts/words/ru-RU.ts';
import { shell } from '../shell/words/ru-RU.ts';

export const words = { common, shell, door, profile, dashboard };
