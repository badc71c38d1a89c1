import { type Language, type Words, words } from './languages.ts';
import type { DeviceType } from './telemetry.ts';

/** Header cells of exported tables. */
export const deviceColumns = {
  number: words('设备编号', 'Device number', 'Номер устройства'),
  name: words('设备名称', 'Device name', 'Название устройства'),
  type: words('设备类型', 'Device type', 'Тип устройства'),
  model: words('型号', 'Model', 'Модель'),
  status: words('状态', 'Status', 'Состояние'),
  project_name: words('所属项目', 'Project', 'Объект'),
  part_name: words('区域', 'Part', 'Участок'),
  address: words('安装地址', 'Address', 'Адрес'),
  last_seen: words('最后通信时间', 'Last seen', 'Последняя связь'),
  signal: words('信号强度 (dBm)', 'Signal (dBm)', 'Уровень сигнала (дБм)'),
  version: words('固件版本', 'Firmware version', 'Версия прошивки'),
  registered_at: words('注册时间', 'Registered', 'Дата регистрации'),
  expires_on: words('到期时间', 'Expires', 'Действует до'),
  lines: words('线路数', 'Lines', 'Линий'),
  lines_closed: words('合闸线路数', 'Lines closed', 'Включено линий'),
  alarms: words('未处理报警', 'Unprocessed alarms', 'Необработанные сигналы'),
} as const;

export const projectColumns = {
  project_codeid: words('项目编号', 'Code', 'Код'),
  name: words('项目名称', 'Project', 'Объект'),
  kind: words('类型', 'Kind', 'Вид'),
  region: words('地区', 'Region', 'Регион'),
  address: words('地址', 'Address', 'Адрес'),
  detailed_address: words('详细地址', 'Detailed address', 'Подробный адрес'),
  contact_name: words('联系人', 'Contact', 'Контактное лицо'),
  contact_phone: words('联系电话', 'Contact phone', 'Телефон'),
  area_m2: words('面积 (m²)', 'Area (m²)', 'Площадь (м²)'),
  contract_kw: words('合同功率 (kW)', 'Contracted power (kW)', 'Договорная мощность (кВт)'),
  time_zone: words('时区', 'Time zone', 'Часовой пояс'),
  joined_at: words('加入时间', 'Joined', 'Подключён'),
  devices: words('设备总数', 'Devices', 'Устройств'),
  devices_online: words('在线设备', 'Devices online', 'Устройств в сети'),
  lines_closed: words('合闸线路数', 'Lines closed', 'Включено линий'),
  lines_open: words('分闸线路数', 'Lines open', 'Отключено линий'),
  lines_unknown: words('状态未知线路数', 'Lines unknown', 'Линий с неизвестным положением'),
  lines_tripped: words('跳闸线路数', 'Lines tripped', 'Линий, отключённых защитой'),
  online_rate: words('在线率 (%)', 'Online rate (%)', 'В сети (%)'),
  unprocessed: words('未处理报警', 'Unprocessed alarms', 'Необработанные сигналы'),
  month_raised: words('本月报警', 'Alarms this month', 'Сигналов за месяц'),
  month_handling_rate: words('本月处理率 (%)', 'Processed this month (%)', 'Обработано за месяц (%)'),
  month_unprocessed_rate: words(
    '本月未处理率 (%)',
    'Unprocessed this month (%)',
    'Не обработано за месяц (%)',
  ),
} as const;

export const projectKindWords = {
  office: words('写字楼', 'Office building', 'Офисное здание'),
  factory: words('工厂', 'Factory', 'Завод'),
  dormitory: words('宿舍', 'Dormitory', 'Общежитие'),
  mall: words('商场', 'Shopping mall', 'Торговый центр'),
  hospital: words('医院', 'Hospital', 'Больница'),
  data_centre: words('数据中心', 'Data centre', 'Дата-центр'),
  school: words('学校', 'School', 'Школа'),
  hotel: words('酒店', 'Hotel', 'Гостиница'),
  market: words('市场', 'Market', 'Рынок'),
  warehouse: words('仓库', 'Warehouse', 'Склад'),
  metro_depot: words('地铁车辆段', 'Metro depot', 'Депо метро'),
  residential: words('住宅小区', 'Residential complex', 'Жилой комплекс'),
  other: words('其他', 'Other', 'Другое'),
} as const;

/** What follows the first of many names in a cell. */
export const moreWords = words('等，另有 {count} 个', 'and {count} more', 'и ещё {count}');
export const userColumns = {
  username: words('用户名', 'Username', 'Имя пользователя'),
  nickname: words('昵称', 'Nickname', 'Имя'),
  role_name: words('角色', 'Role', 'Роль'),
  mobile: words('手机号', 'Mobile', 'Телефон'),
  area: words('区域', 'Area', 'Регион'),
  projects: words('项目', 'Project', 'Объект'),
  email: words('邮箱', 'Email', 'Эл. почта'),
  password_changed_at: words('密码修改时间', 'Password changed', 'Пароль изменён'),
  created_at: words('创建时间', 'Created', 'Создан'),
  status: words('状态', 'Status', 'Состояние'),
  auto_sign_in: words('自动登录', 'Automatic sign-in', 'Автоматический вход'),
} as const;
export const roleColumns = {
  name: words('角色名称', 'Role name', 'Название роли'),
  parent_name: words('上级角色', 'Parent role', 'Вышестоящая роль'),
  description: words('角色描述', 'Description', 'Описание'),
  letters: words('权限', 'Permissions', 'Права'),
  users: words('用户数', 'Users', 'Пользователей'),
  status: words('状态', 'Status', 'Состояние'),
} as const;
export const personColumns = {
  name: words('姓名', 'Name', 'Имя'),
  mobile: words('手机号', 'Mobile', 'Телефон'),
  position: words('职务', 'Position', 'Должность'),
  projects: words('项目', 'Projects', 'Объекты'),
  note: words('备注', 'Note', 'Примечание'),
  created_at: words('创建时间', 'Created', 'Создан'),
} as const;
export const enabledWords = {
  enabled: words('启用', 'Enabled', 'Включён'),
  disabled: words('停用', 'Disabled', 'Отключён'),
} as const;
export const yesWords = { yes: words('是', 'Yes', 'Да'), no: words('否', 'No', 'Нет') } as const;

export const sheetNames = {
  devices: words('设备列表', 'Devices', 'Устройства'),
  projects: words('项目列表', 'Projects', 'Объекты'),
  users: words('用户列表', 'Users', 'Пользователи'),
  roles: words('角色列表', 'Roles', 'Роли'),
  personnel: words('人员列表', 'Personnel', 'Персонал'),
} as const;

export const statusWords = {
  online: words('在线', 'Online', 'В сети'),
  offline: words('离线', 'Offline', 'Не в сети'),
} as const;

/** Source: domain reference §1.2. */
export const deviceTypeWords: Readonly<Record<DeviceType, Words>> = {
  1: words('单相电能滤波器', 'Single-phase energy filter', 'Однофазный энергофильтр'),
  2: words('三相电能滤波器', 'Three-phase energy filter', 'Трёхфазный энергофильтр'),
  3: words('智能单相开关', 'Smart single-phase switch', 'Умный однофазный выключатель'),
  4: words('智能三相开关', 'Smart three-phase switch', 'Умный трёхфазный выключатель'),
  5: words('单相故障电弧探测器', 'Single-phase fault-arc detector', 'Однофазный детектор дугового пробоя'),
  6: words('三相故障电弧探测器', 'Three-phase fault-arc detector', 'Трёхфазный детектор дугового пробоя'),
  7: words('电火宝', 'Electric fire treasure', 'Устройство предотвращения электропожара'),
};
export const deviceTypeText = (type: number, language: Language): string =>
  (deviceTypeWords as Readonly<Record<number, Words>>)[type]?.[language] ?? String(type);
