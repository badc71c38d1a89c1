import { dashboard } from '../../features/dashboard/words/en-US.ts';
import { door } from '../../features/door/words/en-US.ts';
import { profile } from '../../features/profile/words/en-US.ts';
import { common } from '../../parts/words/en-US.ts';
import { shell } from '../shell/words/en-US.ts';

export const words = { common, shell, door, profile, dashboard };
