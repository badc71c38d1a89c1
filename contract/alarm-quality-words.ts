import type { Proposal, QualityMetric } from './alarm-quality.ts';
import { type Words, words } from './languages.ts';

/** Both standards have the same clause. */
export const qualityClause = 'ISA-18.2 / IEC 62682, 16.5';

/** Name of each figure, how it is calculated, and the recommended value. */
export const metricWords: Readonly<Record<QualityMetric, { name: Words; definition: Words; target: Words }>> =
  {
    per_hour: {
      name: words('每岗位每小时报警数', 'Alarms per operator hour', 'Сигналов в час на оператора'),
      definition: words(
        '时段内发出的报警数 ÷（小时数 × 岗位数）。已删除的、由其他报警解释的不计。',
        'Alarms announced in the period ÷ (hours × positions). Deleted ones and consequences of other alarms do not count.',
        'Число сигналов за период ÷ (часы × рабочие места). Удалённые сигналы и следствия других сигналов не учитываются.',
      ),
      target: words('约 6，最多 12', 'about 6, at most 12', 'около 6, не более 12'),
    },
    per_ten_minutes: {
      name: words(
        '每岗位每 10 分钟报警数',
        'Alarms per operator and 10 minutes',
        'Сигналов за 10 мин на оператора',
      ),
      definition: words(
        '平均发生率：同上，按 10 分钟计。',
        'Average announced rate: the same, for ten minutes.',
        'Средняя частота: то же, за десять минут.',
      ),
      target: words('约 1，最多 2', 'about 1, at most 2', 'около 1, не более 2'),
    },
    per_day: {
      name: words('每岗位每天报警数', 'Alarms per operator and day', 'Сигналов в сутки на оператора'),
      definition: words(
        '平均发生率：同上，按 24 小时计。',
        'Average announced rate: the same, for 24 hours.',
        'Средняя частота: то же, за 24 часа.',
      ),
      target: words('约 150，最多 300', 'about 150, at most 300', 'около 150, не более 300'),
    },
    peak: {
      name: words('10 分钟内最多报警数', 'Most alarms in 10 minutes', 'Максимум сигналов за 10 мин'),
      definition: words(
        '峰值：所有 10 分钟时段中的最大值，按岗位计；时段自当天零时起划分。',
        'Peak rate: the ten-minute window with the most alarms, for one position. Windows are counted from midnight of the first day.',
        'Пиковая частота: самый полный десятиминутный интервал, на одно рабочее место. Интервалы отсчитываются от полуночи первого дня.',
      ),
      target: words('最多 10', 'at most 10', 'не более 10'),
    },
    over_share: {
      name: words(
        '超过 10 个报警的时段占比',
        'Windows with more than 10 alarms',
        'Интервалы более чем с 10 сигналами',
      ),
      definition: words(
        '每岗位报警超过 10 个的 10 分钟时段 ÷ 全部时段，含无报警的时段。',
        'Ten-minute windows with more than ten alarms for one position ÷ all windows, empty ones included.',
        'Десятиминутные интервалы, где на рабочее место пришлось более десяти сигналов ÷ все интервалы, включая пустые.',
      ),
      target: words('低于 1%', 'under 1%', 'менее 1 %'),
    },
    flood_share: {
      name: words('报警泛滥时间占比', 'Time in flood', 'Доля времени в лавине сигналов'),
      definition: words(
        '泛滥自每岗位 10 分钟内超过 10 个报警起，至少于 5 个止；其时长 ÷ 全部时长。',
        'A flood begins with more than ten alarms in ten minutes for one position and ends with fewer than five. Its time ÷ the whole time.',
        'Лавина начинается, когда за десять минут на рабочее место приходит более десяти сигналов, и кончается, когда их менее пяти. Её время ÷ всё время.',
      ),
      target: words('低于 1%', 'under 1%', 'менее 1 %'),
    },
    worst_share: {
      name: words('前十来源占比', 'Share of the ten most frequent', 'Доля десяти худших'),
      definition: words(
        '报警最多的十个来源（线路与类型）的报警数 ÷ 全部报警数。',
        'Alarms of the ten sources (line and type) that raised most ÷ all alarms.',
        'Сигналы десяти самых частых источников (линия и тип) ÷ все сигналы.',
      ),
      target: words('低于 1%，最多 5%', 'under 1%, at most 5%', 'менее 1 %, не более 5 %'),
    },
    chattering: {
      name: words('抖动来源', 'Chattering sources', 'Дребезжащие источники'),
      definition: words(
        '一小时内反复发生和恢复三次及以上的来源（线路与类型）。',
        'Sources (line and type) whose alarm was raised three times or more, each within an hour of the previous end.',
        'Источники (линия и тип), которые срабатывали три раза и более, каждый раз в пределах часа после предыдущего окончания.',
      ),
      target: words('0', '0', '0'),
    },
    stale: {
      name: words('陈旧报警', 'Stale alarms', 'Застарелые сигналы'),
      definition: words(
        '时段结束时已持续活动超过 24 小时的报警。',
        'Alarms that at the end of the period had been active for more than 24 hours.',
        'Сигналы, которые к концу периода активны дольше 24 часов.',
      ),
      target: words('少于 5', 'fewer than 5', 'менее 5'),
    },
  };

/** What to do about a frequent alarm: a heading and the reason. */
export const proposalWords: Readonly<Record<Proposal, { name: Words; why: Words }>> = {
  link: {
    name: words('检查通信', 'Check the link', 'Проверить связь'),
    why: words(
      '设备反复离线或信号弱：检查天线、SIM 卡、供电和上报间隔。',
      'The device keeps losing its connection or has a weak signal: check antenna, SIM, supply and reporting interval.',
      'Устройство теряет связь или сигнал слаб: проверьте антенну, SIM-карту, питание и интервал отчётов.',
    ),
  },
  device: {
    name: words('检修设备', 'Repair the device', 'Ремонт устройства'),
    why: words(
      '设备报告自身或传感器故障：更换传感器、校时或更换设备。',
      'The device reports a fault of its own or of a sensor: replace the sensor, set the clock or replace the device.',
      'Устройство сообщает о своей неисправности или неисправности датчика: замените датчик, проверьте часы или замените устройство.',
    ),
  },
  standing: {
    name: words(
      '排除故障或停用',
      'Remove the cause or take it out of service',
      'Устранить или вывести из работы',
    ),
    why: words(
      '一半以上的时间处于活动状态：它不再提示新情况。排除原因，或注明理由后搁置。',
      'It was active for more than half of the time and carries no new information. Remove the cause, or shelve it with a reason.',
      'Активен более половины времени и не сообщает ничего нового. Устраните причину или отложите сигнал с указанием причины.',
    ),
  },
  few: {
    name: words('继续观察', 'Keep watching', 'Наблюдать'),
    why: words(
      '次数太少，无法判断。',
      'Too few alarms for a conclusion.',
      'Слишком мало случаев для вывода.',
    ),
  },
  steady: {
    name: words(
      '加大回差或延时',
      'Widen the deadband or lengthen the delay',
      'Увеличить гистерезис или задержку',
    ),
    why: words(
      '数值在限值附近来回波动，报警很快自行恢复。',
      'The value swings about its limit and the alarm soon ends by itself.',
      'Значение колеблется около уставки, и сигнал быстро снимается сам.',
    ),
  },
  limit: {
    name: words('复核限值', 'Review the limit', 'Пересмотреть уставку'),
    why: words(
      '多为预警，峰值仅略超限值：限值与负荷不匹配。',
      'Most are early warnings, and their peaks are just beyond the limit: the limit does not suit the load.',
      'В основном предупреждения, пики лишь немного выше уставки: уставка не соответствует нагрузке.',
    ),
  },
  cause: {
    name: words('查找原因', 'Find the cause', 'Найти причину'),
    why: words(
      '同一情况反复发生：处理的是报警，而不是原因。创建工单查明原因。',
      'The same thing happens again and again: alarms are handled, their cause is not. Have it investigated.',
      'Одно и то же повторяется: обрабатываются сигналы, а не причина. Нужна проверка на месте.',
    ),
  },
};

export const qualitySheet = words('报警质量', 'Alarm quality', 'Качество сигнализации');
export const qualityColumns = {
  section: words('部分', 'Part', 'Раздел'),
  name: words('名称', 'Name', 'Название'),
  value: words('数值', 'Value', 'Значение'),
  share: words('占比 (%)', 'Share (%)', 'Доля (%)'),
  target: words('建议值', 'Recommended', 'Рекомендация'),
  note: words('说明', 'Meaning', 'Пояснение'),
  from: words('开始', 'From', 'Начало'),
  to: words('结束', 'To', 'Конец'),
} as const;
export const qualitySections = {
  metric: words('指标', 'Figure', 'Показатель'),
  severity: words('严重度', 'Severity', 'Важность'),
  worst: words('报警最多的来源', 'Most frequent alarms', 'Самые частые'),
  flood: words('报警泛滥', 'Flood', 'Лавина'),
  stale: words('陈旧报警', 'Stale alarm', 'Застарелый сигнал'),
  day: words('日期', 'Day', 'День'),
} as const;
