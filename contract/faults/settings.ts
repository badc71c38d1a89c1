import type { FaultTable } from './table.ts';

const field = <Words extends { 'zh-CN': string; 'en-US': string; 'ru-RU': string }>(words: Words) => ({
  http: 422,
  code: 422,
  ...words,
});
const state = <Words extends { 'zh-CN': string; 'en-US': string; 'ru-RU': string }>(words: Words) => ({
  http: 409,
  code: 409,
  ...words,
});

export const settingFaults = {
  'setting.unknown': field({
    'zh-CN': '没有此参数',
    'en-US': 'There is no such parameter',
    'ru-RU': 'Такого параметра нет',
  }),
  'setting.notForType': field({
    'zh-CN': '该设备类型不支持此参数',
    'en-US': 'Devices of this type do not have this parameter',
    'ru-RU': 'У устройств этого типа нет такого параметра',
  }),
  'setting.choice': field({
    'zh-CN': '请从给定的值中选择',
    'en-US': 'Choose one of the given values',
    'ru-RU': 'Выберите одно из предложенных значений',
  }),
  'setting.number': field({
    'zh-CN': '请输入数字',
    'en-US': 'Enter a number',
    'ru-RU': 'Введите число',
  }),
  'setting.range': field({
    'zh-CN': '数值超出允许范围',
    'en-US': 'The value is out of its range',
    'ru-RU': 'Значение вне допустимого диапазона',
  }),
  'setting.step': field({
    'zh-CN': '数值不符合步长',
    'en-US': 'The value does not match the step of this parameter',
    'ru-RU': 'Значение не кратно шагу',
  }),
  'setting.order': field({
    'zh-CN': '预警值与报警值的顺序不正确',
    'en-US': 'Early-warning and alarm limits are in the wrong order',
    'ru-RU': 'Уставки предупредительного и аварийного сигналов стоят в неверном порядке',
  }),
  'setting.deadband': field({
    'zh-CN': '回差须小于预警值，否则报警永远不会恢复',
    'en-US': 'The deadband must be smaller than the early-warning limit, or the alarm would never end',
    'ru-RU': 'Гистерезис должен быть меньше предупредительной уставки, иначе сигнал никогда не снимется',
  }),
  'setting.orderIn': field({
    'zh-CN': '与这些项目自己的限值顺序冲突：{projects}',
    'en-US': 'This crosses the projects’ own limits: {projects}',
    'ru-RU': 'Нарушает порядок с собственными пределами объектов: {projects}',
  }),
  'setting.place': field({
    'zh-CN': '请选择线路',
    'en-US': 'Choose a line',
    'ru-RU': 'Выберите линию',
  }),
  'setting.readOnly': field({
    'zh-CN': '只能在设备现场更改',
    'en-US': 'It can only be changed at the device itself',
    'ru-RU': 'Изменяется только на самом устройстве',
  }),
  'setting.boolean': field({
    'zh-CN': '请选择启用或停用',
    'en-US': 'Choose enabled or disabled',
    'ru-RU': 'Выберите «включено» или «выключено»',
  }),
  'setting.notObject': field({
    'zh-CN': '自定义参数必须是 JSON 对象',
    'en-US': 'Self-defined parameters must be a JSON object',
    'ru-RU': 'Пользовательские параметры должны быть объектом JSON',
  }),
  'setting.tooBig': field({
    'zh-CN': '自定义参数过大（不超过 4 KB、8 层）',
    'en-US': 'Self-defined parameters are too large (4 KB and 8 levels at most)',
    'ru-RU': 'Пользовательские параметры слишком велики (не более 4 КБ и 8 уровней)',
  }),
  'setting.inexact': field({
    'zh-CN': '数值过大，无法精确保存，请改为文本',
    'en-US': 'A number is too large to be kept exactly; write it as text',
    'ru-RU': 'Число слишком велико для точного хранения; запишите его текстом',
  }),
  'setting.twice': field({
    'zh-CN': '对象中有重复的名称',
    'en-US': 'A name occurs twice in the object',
    'ru-RU': 'Имя повторяется в объекте',
  }),
  'setting.none': field({
    'zh-CN': '请至少设置一项',
    'en-US': 'Set at least one value',
    'ru-RU': 'Задайте хотя бы одно значение',
  }),
  'setting.devices': field({
    'zh-CN': '请选择设备',
    'en-US': 'Choose a device',
    'ru-RU': 'Выберите устройство',
  }),
  'setting.wrongType': state({
    'zh-CN': '该操作仅适用于电火宝',
    'en-US': 'This is for electric fire treasures only',
    'ru-RU': 'Только для устройств предотвращения электропожара',
  }),
  'setting.notFirst': state({
    'zh-CN': '该设备已设置过参数',
    'en-US': 'The device already has settings',
    'ru-RU': 'Устройство уже было настроено',
  }),
  'setting.onDevice': field({
    'zh-CN': '该限值由设备保存，请在参数设置中修改',
    'en-US': 'The device stores this limit itself: change it as a parameter',
    'ru-RU': 'Этот предел хранит само устройство: измените его как параметр',
  }),
  'setting.unreported': state({
    'zh-CN': '设备尚未上报其参数',
    'en-US': 'The device has not reported its settings yet',
    'ru-RU': 'Устройство ещё не сообщило свои настройки',
  }),
  'setting.busy': state({
    'zh-CN': '另一项配置正在下发到该设备',
    'en-US': 'Another configuration is on its way to the device',
    'ru-RU': 'Устройству уже передаётся другая конфигурация',
  }),
  'setting.tagged': state({
    'zh-CN': '挂牌上锁中：可能合闸或削弱保护的设置不会下发',
    'en-US': 'Waits for the end of a lock-out tag: it may close a line or weaken its protection',
    'ru-RU': 'Ждёт снятия плаката: может включить линию или ослабить её защиту',
  }),
  'setting.denied': state({
    'zh-CN': '设置者已无权设置该设备，已撤回，未发送',
    'en-US': 'Withdrawn: the user who requested it may no longer configure this device',
    'ru-RU': 'Отозвано, не отправлено: у автора больше нет права настраивать устройство',
  }),
  'setting.not_taken': state({
    'zh-CN': '设备已应答，但未采用该值',
    'en-US': 'The device answered, but did not apply the value',
    'ru-RU': 'Устройство ответило, но не приняло значение',
  }),
  'service.server': field({
    'zh-CN': '服务器地址和设备地址不能为空',
    'en-US': 'Server address and device address are required',
    'ru-RU': 'Укажите адрес сервера и адрес устройства',
  }),
  'service.address': field({
    'zh-CN': '服务器地址应为 主机名 或 主机名：端口',
    'en-US': 'A server address is host or host:port',
    'ru-RU': 'Адрес сервера: узел или узел:порт',
  }),
  'line.name': field({
    'zh-CN': '线路名称不能为空（不超过 60 个字符）',
    'en-US': 'The line name is required (60 characters at most)',
    'ru-RU': 'Введите название линии (не более 60 символов)',
  }),
  'line.nameSame': field({
    'zh-CN': '新名称必须与原名称不同',
    'en-US': 'The new name must differ from the old one',
    'ru-RU': 'Новое название должно отличаться от прежнего',
  }),
  'line.nameOld': field({
    'zh-CN': '原名称与列表中的线路名称不一致',
    'en-US': 'The old name must match the list',
    'ru-RU': 'Прежнее название не совпадает со списком',
  }),
  'contact.name': field({
    'zh-CN': '中文姓名为 2 至 7 个字，其他文字为 2 至 60 个字符',
    'en-US': 'A name has 2 to 60 characters, in Chinese 2 to 7',
    'ru-RU': 'Имя: от 2 до 60 символов, иероглифами от 2 до 7',
  }),
  'contact.many': field({
    'zh-CN': '最多三位联系人',
    'en-US': 'Three contacts at most',
    'ru-RU': 'Не более трёх контактов',
  }),
  'sim.iccid': field({
    'zh-CN': 'ICCID 为 19 或 20 位',
    'en-US': 'An ICCID has 19 or 20 characters',
    'ru-RU': 'ICCID состоит из 19 или 20 знаков',
  }),
  'sim.taken': state({
    'zh-CN': '该 ICCID 已用于另一台设备',
    'en-US': 'Another device has this ICCID',
    'ru-RU': 'Этот ICCID уже у другого устройства',
  }),
  'map.choose': field({
    'zh-CN': '请先选择地图位置：点击地图，或输入纬度和经度',
    'en-US': 'Select a map first: click a point on it, or enter latitude and longitude',
    'ru-RU': 'Сначала выберите точку на карте или введите широту и долготу',
  }),
  'date.invalid': field({
    'zh-CN': '日期无效',
    'en-US': 'The date is not valid',
    'ru-RU': 'Недопустимая дата',
  }),
  'upload.missing': field({
    'zh-CN': '请选择文件',
    'en-US': 'Choose a file',
    'ru-RU': 'Выберите файл',
  }),
  'upload.tooLarge': {
    http: 413,
    code: 413,
    'zh-CN': '图片大小不能超过 2 MB',
    'en-US': 'The image is larger than 2 MB',
    'ru-RU': 'Изображение больше 2 МБ',
  },
  'upload.dimensions': field({
    'zh-CN': '图片尺寸过大，每边最多 16,384 像素，总计不超过 1 亿像素',
    'en-US': 'The image is too large: at most 16,384 pixels a side and 100 million in all',
    'ru-RU': 'Слишком большое изображение: не более 16 384 пикселей по стороне и 100 млн всего',
  }),
  'upload.quota': {
    http: 413,
    code: 413,
    'zh-CN': '图片存储空间已满，请联系管理员',
    'en-US': 'The space for images is used up; ask an administrator',
    'ru-RU': 'Место для изображений исчерпано; обратитесь к администратору',
  },
  'upload.broken': field({
    'zh-CN': '图片已损坏或不完整，请选择其他文件',
    'en-US': 'The image is damaged or incomplete: choose another file',
    'ru-RU': 'Изображение повреждено или неполное: выберите другой файл',
  }),
  'upload.notImage': field({
    'zh-CN': '请上传 PNG、JPEG、GIF 或 WebP 图片',
    'en-US': 'Upload a PNG, JPEG, GIF or WebP image',
    'ru-RU': 'Загрузите изображение PNG, JPEG, GIF или WebP',
  }),
  'upload.extension': field({
    'zh-CN': '文件内容是 {kind} 图片，扩展名却是 .{extension}。请改正扩展名或选择其他文件',
    'en-US':
      'The file is a {kind} image, but its name ends in .{extension}. Rename it or choose another file',
    'ru-RU':
      'Файл содержит изображение {kind}, а его имя оканчивается на .{extension}. Переименуйте его или выберите другой',
  }),
  'upload.unknown': field({
    'zh-CN': '图片不存在，请重新上传',
    'en-US': 'There is no such image; upload it again',
    'ru-RU': 'Изображение не найдено; загрузите его снова',
  }),
  'import.empty': field({
    'zh-CN': '没有可导入的行',
    'en-US': 'There are no rows to import',
    'ru-RU': 'Нет строк для импорта',
  }),
  'import.many': field({
    'zh-CN': '一次最多导入 {most} 行',
    'en-US': 'At most {most} rows at a time',
    'ru-RU': 'Не более {most} строк за раз',
  }),
  'import.file': field({
    'zh-CN': '无法读取该文件，请使用 .xlsx',
    'en-US': 'The file cannot be read; use .xlsx',
    'ru-RU': 'Не удалось прочитать файл; нужен .xlsx',
  }),
  'import.heavy': field({
    'zh-CN': '该列表读取时间过长，请拆分或删除多余的工作表和列',
    'en-US': 'The list takes too long to read: split it, or remove other sheets and columns',
    'ru-RU': 'Список читается слишком долго: разделите его или удалите лишние листы и столбцы',
  }),
  'import.columns': field({
    'zh-CN': '缺少设备编号列',
    'en-US': 'The column with the device number is missing',
    'ru-RU': 'Нет столбца с номером устройства',
  }),
  'import.heading': field({
    'zh-CN': '未导入“{heading}”列：标题无法识别',
    'en-US': 'The column ‘{heading}’ is not imported: its heading is not among those of the list',
    'ru-RU': 'Столбец «{heading}» не импортируется: такого заголовка в списке нет',
  }),
  'import.headless': field({
    'zh-CN': '未导入第 {column} 列：没有标题',
    'en-US': 'Column {column} is not imported: it has no heading',
    'ru-RU': 'Столбец {column} не импортируется: у него нет заголовка',
  }),
  'import.sameHeading': field({
    'zh-CN': '未导入“{heading}”列：该内容已取自其他列',
    'en-US': 'The column ‘{heading}’ is not imported: another column holds the same',
    'ru-RU': 'Столбец «{heading}» не импортируется: то же содержит другой столбец',
  }),
  'import.type': field({
    'zh-CN': '设备类型应为 1 至 7 或类型名称',
    'en-US': 'A device type is 1 to 7 or its name',
    'ru-RU': 'Тип устройства: от 1 до 7 или его название',
  }),
  'import.twice': field({
    'zh-CN': '该设备编号在表中重复',
    'en-US': 'The device number occurs twice in the list',
    'ru-RU': 'Номер устройства повторяется в списке',
  }),
  'import.rounded': field({
    'zh-CN': '表格已截断此编号，请将该列设为文本格式后重新填写',
    'en-US': 'The spreadsheet cut this number short; make the column text and enter it again',
    'ru-RU': 'Таблица сократила этот номер; задайте столбцу текстовый формат и введите номер заново',
  }),
  'import.project': field({
    'zh-CN': '没有此名称的项目',
    'en-US': 'There is no project of this name',
    'ru-RU': 'Объекта с таким названием нет',
  }),
} as const satisfies FaultTable;
