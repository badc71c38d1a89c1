import 'i18next';
import type { demo } from '../features/demo/words/en-US.ts';
import type { deviceJobs } from '../features/device-jobs/words/en-US.ts';
import type { words } from './words/en-US.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    enableSelector: true;
    /** `demo` and `deviceJobs` come with their panels alone. */
    resources: typeof words & { demo: typeof demo; deviceJobs: typeof deviceJobs };
  }
}
