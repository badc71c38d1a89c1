import { BarChart, LineChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components';
import { type EChartsType, init, use as install, registerLocale } from 'echarts/core';
import langEN from 'echarts/i18n/langEN-obj.js';
import langRU from 'echarts/i18n/langRU-obj.js';
import langZH from 'echarts/i18n/langZH-obj.js';
import { CanvasRenderer } from 'echarts/renderers';

install([
  BarChart,
  LineChart,
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
]);
registerLocale('en-US', langEN);
registerLocale('ru-RU', langRU);
registerLocale('zh-CN', langZH);

export type Engine = EChartsType;
export { init };
