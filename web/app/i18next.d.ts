import 'i18next';
import type { words } from './words/en-US.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    enableSelector: true;
    resources: typeof words;
  }
}
