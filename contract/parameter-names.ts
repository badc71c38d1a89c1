import { type Language, type Words, words } from './languages.ts';
import type { ParameterRole } from './parameters.ts';

/** Names of parameters and function enables, by key. */
export const parameterNames: Readonly<Record<string, Words>> = {
  un: words('额定电压', 'Nominal voltage', 'Номинальное напряжение'),
  tele_s: words('上传间隔', 'Upload interval', 'Период передачи данных'),
  rbe: words('变化上报阈值', 'Report on change by', 'Передавать при изменении на'),
  hb_s: words('心跳间隔', 'Keep-alive interval', 'Период проверки связи'),
  ar_n: words('自动重合闸次数', 'Auto-reclose attempts', 'Число попыток АПВ'),
  ar_t: words('自动重合闸间隔', 'Auto-reclose interval', 'Интервал АПВ'),
  in: words('额定电流', 'Rated current', 'Номинальный ток'),
  ov_w: words('过压预警值', 'Overvoltage early warning', 'Уставка предупреждения по повышенному напряжению'),
  ov_a: words('过压报警值', 'Overvoltage alarm', 'Уставка аварийного сигнала по повышенному напряжению'),
  ov_t: words('过压延时', 'Overvoltage delay', 'Выдержка времени по повышенному напряжению'),
  ov_trip: words('过压跳闸值', 'Overvoltage trip', 'Уставка отключения по повышенному напряжению'),
  uv_w: words('欠压预警值', 'Undervoltage early warning', 'Уставка предупреждения по пониженному напряжению'),
  uv_a: words('欠压报警值', 'Undervoltage alarm', 'Уставка аварийного сигнала по пониженному напряжению'),
  uv_t: words('欠压延时', 'Undervoltage delay', 'Выдержка времени по пониженному напряжению'),
  uv_trip: words('欠压跳闸值', 'Undervoltage trip', 'Уставка отключения по пониженному напряжению'),
  oc_w: words('过流预警值', 'Overcurrent early warning', 'Уставка предупреждения по перегрузке'),
  oc_a: words('过流报警值', 'Overcurrent alarm', 'Уставка аварийного сигнала по перегрузке'),
  oc_t: words('过流延时', 'Overcurrent delay', 'Выдержка времени по перегрузке по току'),
  oc_trip: words('过流跳闸值', 'Overcurrent trip', 'Уставка отключения по перегрузке'),
  oc_curve: words('过流跳闸特性', 'Overcurrent trip curve', 'Характеристика отключения по току'),
  op_w: words('过功率预警值', 'Overpower early warning', 'Уставка предупреждения по мощности'),
  op_a: words('过功率报警值', 'Overpower alarm', 'Уставка аварийного сигнала по мощности'),
  op_t: words('过功率延时', 'Overpower delay', 'Выдержка времени по превышению мощности'),
  il_w: words('剩余电流预警值', 'Leakage early warning', 'Уставка предупреждения по току утечки'),
  il_a: words('剩余电流报警值', 'Leakage alarm', 'Уставка аварийного сигнала по току утечки'),
  il_t: words('剩余电流延时', 'Leakage delay', 'Выдержка времени по току утечки'),
  il_trip: words('剩余电流跳闸值', 'Leakage trip', 'Уставка отключения по току утечки'),
  tl_w: words(
    '线缆温度预警值',
    'Cable temperature early warning',
    'Уставка предупреждения по нагреву кабеля',
  ),
  tl_a: words('线缆温度报警值', 'Cable temperature alarm', 'Уставка аварийного сигнала по нагреву кабеля'),
  tm_w: words(
    '主芯温度预警值',
    'Main-core temperature early warning',
    'Уставка предупреждения по нагреву токоведущей части',
  ),
  tm_a: words(
    '主芯温度报警值',
    'Main-core temperature alarm',
    'Уставка аварийного сигнала по нагреву токоведущей части',
  ),
  tm_trip: words(
    '主芯温度跳闸值',
    'Main-core temperature trip',
    'Уставка отключения по нагреву токоведущей части',
  ),
  tc_w: words(
    '壳体温度预警值',
    'Case temperature early warning',
    'Уставка предупреждения по нагреву корпуса',
  ),
  tc_a: words('壳体温度报警值', 'Case temperature alarm', 'Уставка аварийного сигнала по нагреву корпуса'),
  ov_d: words('过压回差', 'Overvoltage deadband', 'Гистерезис по повышенному напряжению'),
  uv_d: words('欠压回差', 'Undervoltage deadband', 'Гистерезис по пониженному напряжению'),
  oc_d: words('过流回差', 'Overcurrent deadband', 'Гистерезис по перегрузке по току'),
  op_d: words('过功率回差', 'Overpower deadband', 'Гистерезис по превышению мощности'),
  il_d: words('剩余电流回差', 'Leakage deadband', 'Гистерезис по току утечки'),
  tl_d: words('线缆温度回差', 'Cable temperature deadband', 'Гистерезис по нагреву кабеля'),
  tm_d: words('主芯温度回差', 'Main-core temperature deadband', 'Гистерезис по нагреву токоведущей части'),
  tc_d: words('壳体温度回差', 'Case temperature deadband', 'Гистерезис по нагреву корпуса'),
  ilt_w: words(
    '剩余电流上升：预计不足多少天达到报警值时预警',
    'Leakage drift: warn when the limit is nearer than',
    'Рост утечки: предупреждать, если до уставки осталось менее',
  ),
  tmt_w: words(
    '接头发热加剧：预警值',
    'Loosening joint: warn when the temperature rise has grown by',
    'Ослабление контакта: предупреждать при росте нагрева на',
  ),
  arct_w: words(
    '故障电弧增多：每天次数预警值',
    'Arcs more frequent: warn from',
    'Учащение дуговых пробоев: предупреждать начиная с',
  ),
  dT: words('温升速率报警值', 'Rate-of-rise alarm', 'Уставка аварийного сигнала по скорости нагрева'),
  arc_n: words(
    '故障电弧报警值',
    'Fault-arc alarm (half-cycles)',
    'Уставка аварийного сигнала по дуге (полупериоды)',
  ),
  unb_u: words(
    '电压不平衡报警值',
    'Voltage unbalance alarm',
    'Уставка аварийного сигнала по несимметрии напряжений',
  ),
  unb_i: words(
    '电流不平衡报警值',
    'Current unbalance alarm',
    'Уставка аварийного сигнала по несимметрии токов',
  ),
  in_n: words('中性线过流报警值', 'Neutral overcurrent alarm', 'Уставка аварийного сигнала по току нейтрали'),
  thdu: words('电压谐波报警值', 'Voltage THD alarm', 'Уставка аварийного сигнала по THD напряжения'),
  thdi: words('电流谐波报警值', 'Current THD alarm', 'Уставка аварийного сигнала по THD тока'),
  pf_min: words('功率因数下限', 'Lowest power factor', 'Наименьший коэффициент мощности'),
  quota_kwh: words('用电量限额', 'Energy quota', 'Лимит энергии'),
  net_ctrl: words('远程控制', 'Remote control', 'Дистанционное управление'),
  local_lock: words('本地锁定', 'Local lock', 'Местная блокировка'),
  auto_reclose: words('自动重合闸', 'Auto-reclose', 'Автоматическое повторное включение'),
  prot_ov: words('过压保护', 'Overvoltage protection', 'Защита от повышенного напряжения'),
  prot_uv: words('欠压保护', 'Undervoltage protection', 'Защита от пониженного напряжения'),
  prot_oc: words('过流保护', 'Overcurrent protection', 'Защита от перегрузки по току'),
  prot_op: words('过功率保护', 'Overpower protection', 'Защита от превышения мощности'),
  prot_il: words('剩余电流保护', 'Leakage protection', 'Защита от тока утечки'),
  prot_t: words('温度保护', 'Temperature protection', 'Защита от перегрева'),
  prot_arc: words('电弧保护', 'Arc protection', 'Защита от дугового пробоя'),
  prot_pl: words('缺相保护', 'Phase-loss protection', 'Защита от обрыва фазы'),
  buzzer: words('蜂鸣器', 'Buzzer', 'Звуковой сигнал'),
  led: words('指示灯', 'Indicator lights', 'Индикация'),
  timer_en: words('内置定时', 'Built-in timers', 'Встроенные таймеры'),
  quota_en: words('限额控制', 'Quota control', 'Контроль лимита'),
};

/** What exceeding a limit means, by the role of the parameter. */
export const roleMeanings: Readonly<Record<ParameterRole, Words>> = {
  rating: words(
    '其他限值以此为基准',
    'Other limits are derived from it',
    'От этого значения отсчитываются другие уставки',
  ),
  warn: words(
    '超过后发出预警，不分闸',
    'Beyond it an early warning is raised; no line opens',
    'При превышении выдаётся предупредительный сигнал без отключения',
  ),
  alarm: words(
    '超过后发出报警，不分闸',
    'Beyond it an alarm is raised; no line opens',
    'При превышении выдаётся аварийный сигнал без отключения',
  ),
  trip: words(
    '超过后设备自行跳闸',
    'Beyond it the device opens the line by itself',
    'При превышении устройство само отключает линию',
  ),
  delay: words('持续该时间后才动作', 'Acts only after this time', 'Срабатывает только спустя это время'),
  deadband: words(
    '数值须比限值再低（或再高）这么多，报警才恢复',
    'The alarm clears only when the value is back past its limit by this much',
    'Сигнал снимается, только когда значение вернётся за уставку на эту величину',
  ),
  report: words('决定设备上报的频率', 'Decides how often the device reports', 'Определяет частоту передачи'),
  other: words('设备动作方式', 'How the device acts', 'Определяет поведение устройства'),
};
export const enableMeanings: Readonly<Record<string, Words>> = {
  net_ctrl: words(
    '关闭后拒绝所有远程分合闸和设置',
    'While disabled, every remote open, close and setting is refused',
    'Если выключено, дистанционные операции и настройка отклоняются',
  ),
  local_lock: words(
    '现场锁定，只能在设备上解除',
    'Locked at the device; can be released only there',
    'Заблокировано на месте; снимается только там',
  ),
  auto_reclose: words(
    '过压、欠压、停电恢复后自动合闸；剩余电流、故障电弧、短路、超温后不会',
    'Closes by itself after overvoltage, undervoltage or an outage; never after leakage, arc, short circuit or heat',
    'Само включает линию после отклонений напряжения; после утечки, дуги, КЗ и перегрева — никогда',
  ),
  timer_en: words(
    '设备按内置定时自行分合闸',
    'The device opens and closes by its built-in timers',
    'Устройство само переключает линии по встроенным таймерам',
  ),
  quota_en: words(
    '用完限额后分闸',
    'Opens the line when the quota is used up',
    'Отключает линию по исчерпании лимита',
  ),
};
/** For enables without their own words. */
export const protectionMeaning: Words = words(
  '关闭后仍报警，但不再分闸',
  'While disabled it still alarms but no longer opens the line',
  'Если выведена, сигнал выдаётся, но линия не отключается',
);

const quantityNames: Readonly<Record<string, Words>> = {
  U: words('电压', 'Voltage', 'Напряжение'),
  I: words('电流', 'Current', 'Ток'),
  P: words('有功功率', 'Active power', 'Активная мощность'),
  Q: words('无功功率', 'Reactive power', 'Реактивная мощность'),
  PF: words('功率因数', 'Power factor', 'Коэффициент мощности'),
  F: words('频率', 'Frequency', 'Частота'),
  IL: words('剩余电流', 'Leakage current', 'Ток утечки'),
  T: words('温度', 'Temperature', 'Температура'),
  HU: words('电压总谐波', 'Voltage THD', 'КГИ напряжения'),
  HI: words('电流总谐波', 'Current THD', 'КГИ тока'),
  arc: words('电弧累计次数', 'Arc count', 'Счётчик дуговых событий'),
  arcH: words(
    '每秒最多电弧半周数',
    'Most arc half-cycles in 1 s',
    'Наибольшее число полупериодов дуги за 1 с',
  ),
  sc: words('短路次数', 'Short-circuit count', 'Счётчик коротких замыканий'),
};
const harmonicName = (order: string): Words =>
  words(`${order} 次谐波电流`, `Harmonic current of order ${order}`, `Ток гармоники порядка ${order}`);
const placeNames: Readonly<Record<string, Words>> = {
  t: words('合计', 'total', 'сумма'),
  n: words('中性线', 'neutral', 'нейтраль'),
  l: words('线缆', 'cable', 'кабель'),
  m: words('主芯', 'main core', 'токоведущая часть'),
};
const caseName = words('壳体', 'case', 'корпус');
const sideNames: Readonly<Record<string, Words>> = {
  in: words('输入', 'input', 'вход'),
  out: words('输出', 'output', 'выход'),
};
export const channelUnits: Readonly<Record<string, string>> = {
  U: 'V',
  I: 'A',
  P: 'W',
  Q: 'var',
  F: 'Hz',
  IL: 'mA',
  T: '°C',
  HU: '%',
  HI: '%',
  arcH: '1/s',
};

/** Splits `in.U.a` into side, quantity, and phase or location. */
const channelParts = (channel: string): { side: string; quantity: string; place: string } => {
  const parts = channel.split('.');
  const side = parts[0] === 'in' || parts[0] === 'out' ? parts.shift()! : '';
  return { side, quantity: parts[0] ?? '', place: parts[1] ?? '' };
};
/** What a channel measures, in words; `channels` are all of the device type (T.c is a phase where T.a is one). */
export const channelName = (channel: string, channels: readonly string[], language: Language): string => {
  const { side, quantity, place } = channelParts(channel);
  const harmonic = /^H(\d+)$/.exec(quantity);
  const name = (harmonic ? harmonicName(harmonic[1]!) : quantityNames[quantity])?.[language] ?? quantity;
  const isCase = quantity === 'T' && place === 'c' && !channels.includes('T.a');
  const where = isCase ? caseName[language] : (placeNames[place]?.[language] ?? place.toUpperCase());
  const details = [sideNames[side]?.[language] ?? '', where].filter((part) => part !== '');
  return details.length > 0 ? `${name} (${details.join(', ')})` : name;
};
export const channelUnit = (channel: string): string => {
  const { quantity } = channelParts(channel);
  return /^H\d+$/.test(quantity) ? '%' : (channelUnits[quantity] ?? '');
};
