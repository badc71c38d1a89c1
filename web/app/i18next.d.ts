import 'i18next';
import type { demo } from '../features/demo/words/en-US.ts';
import type { words } from './words/en-US.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    enableSelector: true;
    /** `demo` comes with its panel alone. */
    resources: typeof words & { demo: typeof demo };
  }
}
