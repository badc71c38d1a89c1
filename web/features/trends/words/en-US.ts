export const trends = {
  title: 'Early signs of trouble',
  about: 'From the daily and hourly highest values of the last 28 days.',
  empty: 'Not enough data yet: trends need at least a week of readings.',
  summary: 'Lines with a warning sign: {{warnings}} of {{lines}}.',
  line: 'Line',
  leakage: 'Leakage',
  joint: 'Terminal temperature rise at rated current',
  arcs: 'Arcs',
  sign: {
    leakageDays: 'Leakage rises by {{slope}} a day and would reach {{limit}} in about {{days}} d',
    leakageOver: 'Leakage rises by {{slope}} a day and is at its limit of {{limit}}',
    leakageSlow: 'Leakage rises by {{slope}} a day; the limit of {{limit}} is years away',
    leakageCalm: '{{now}}, steady',
    jointRising: 'Rises by {{now}} instead of {{before}}: a joint may be loosening',
    jointCalm: '{{now}}, steady',
    arcsRising: '{{arcs}} in the last 24 hours, and more from day to day',
    arcsCalm: '{{arcs}} in the last 24 hours',
    none: 'too little data',
  },
  detail: {
    leakage: 'Leakage, highest of each day',
    fitted: 'Trend',
    measured: 'Highest of the day',
    limit: 'Limit',
    leakageFormula:
      'Trend: median of the slopes between all pairs of days (Theil–Sen). It counts as rising when Mann–Kendall’s test is 95% certain. Days to the limit = (limit − today’s trend) ÷ slope.',
    joint: 'Terminal temperature rise at rated current by week',
    week: 'Week from',
    rise: 'Temperature rise',
    jointFormula:
      'The hourly highest temperature is plotted against the current squared (heat = R · I²); the median slope times the square of the rated current ({{rated}}) is the temperature rise. An increase of at least 30% and 5 K within four weeks at the same current means that a contact has more resistance.',
    jointNone:
      'The load changed too little, or there are too few readings, to distinguish the temperature rise from the weather.',
    arcs: 'Arcs in each hour, last 7 days',
    arcCount: 'Arcs',
    arcFormula:
      'Counted by the device’s arc detector: the highest count of an hour minus that of the hour before. They count as increasing when Mann–Kendall’s test over the counts of seven days is 95% certain.',
  },
};
