declare module 'echarts/i18n/lang*-obj.js' {
  import type { registerLocale } from 'echarts/core';

  const texts: Exclude<Parameters<typeof registerLocale>[1], undefined>;
  export default texts;
}
