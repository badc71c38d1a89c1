export const trends = {
  title: '早期征兆',
  about: '依据近 28 天每日、每小时的最大值。',
  empty: '数据不足：趋势至少需要一周的读数。',
  summary: '{{lines}} 条线路中有 {{warnings}} 条出现征兆。',
  line: '线路',
  leakage: '剩余电流',
  joint: '额定电流下的端子温升',
  arcs: '故障电弧',
  sign: {
    leakageDays: '剩余电流每天上升 {{slope}}，约 {{days}} 天后达到 {{limit}}',
    leakageOver: '剩余电流每天上升 {{slope}}，已达到限值 {{limit}}',
    leakageSlow: '剩余电流每天上升 {{slope}}，数年内不会达到限值 {{limit}}',
    leakageCalm: '{{now}}，平稳',
    jointRising: '温升由 {{before}} 增至 {{now}}：接头可能松动',
    jointCalm: '{{now}}，平稳',
    arcsRising: '最近 24 小时 {{arcs}} 次，逐日增多',
    arcsCalm: '最近 24 小时 {{arcs}} 次',
    none: '数据不足',
  },
  detail: {
    leakage: '剩余电流（每日最大值）',
    fitted: '趋势',
    measured: '当日最大值',
    limit: '限值',
    leakageFormula:
      '趋势：任意两天之间斜率的中位数（Theil–Sen）。Mann–Kendall 检验置信度达到 95% 时视为上升。到达限值的天数 =（限值 − 当前趋势值）÷ 斜率。',
    joint: '额定电流下的端子温升（按周）',
    week: '起始日期',
    rise: '温升',
    jointFormula:
      '以每小时最高温度对电流平方作图（发热 = R · I²）；斜率中位数乘以额定电流（{{rated}}）的平方即为温升。四周内同等电流下温升增加 30% 且不少于 5 K，说明接触电阻增大。',
    jointNone: '负荷变化太小或读数太少，无法区分温升与环境温度的影响。',
    arcs: '近 7 天每小时电弧数',
    arcCount: '电弧数',
    arcFormula:
      '由设备的电弧探测器计数：本小时最大计数减去上一小时的计数。最近 7 天每天的次数经 Mann–Kendall 检验有 95% 把握上升时，判为增多。',
  },
};
