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

export const projectFaults = {
  'project.name': field({
    'zh-CN': '请输入项目名称（不超过 60 个字符）',
    'en-US': 'Enter the project name (60 characters at most)',
    'ru-RU': 'Введите название объекта (не более 60 символов)',
  }),
  'project.zone': field({
    'zh-CN': '没有该时区',
    'en-US': 'There is no such time zone',
    'ru-RU': 'Такого часового пояса нет',
  }),
  'project.tagged': state({
    'zh-CN': '项目、其设备或线路上有挂牌，不能删除。请先摘牌',
    'en-US':
      'The project cannot be deleted: a lock-out tag is set on it, or on one of its devices or lines. Remove the tag first',
    'ru-RU': 'На объекте, его устройстве или линии висит плакат: удалить нельзя. Сначала снимите плакат',
  }),
  'project.devices': state({
    'zh-CN': '所选项目现有 {count} 台设备，删除后将解绑：请核对后重新确认',
    'en-US': 'The selected projects have {count} devices, which would be unbound: check and confirm again',
    'ru-RU': 'Устройств на выбранных объектах: {count}, они будут отвязаны. Проверьте и подтвердите снова',
  }),
  'region.choose': field({
    'zh-CN': '请选择所在地区',
    'en-US': 'Choose the region',
    'ru-RU': 'Выберите регион',
  }),
  'region.outside': field({
    'zh-CN': '该地区不在您的管辖范围内',
    'en-US': 'The region lies outside yours',
    'ru-RU': 'Этот регион вне вашей области',
  }),
  'part.name': field({
    'zh-CN': '请输入区域名称（不超过 60 个字符）',
    'en-US': 'Enter the name of the part (60 characters at most)',
    'ru-RU': 'Введите название участка (не более 60 символов)',
  }),
  'part.used': state({
    'zh-CN': '该区域仍有 {devices} 台设备、{users} 个账号，请先移出',
    'en-US': 'In use: devices {devices}, accounts {users}. Move them elsewhere first',
    'ru-RU': 'Участок занят: устройств {devices}, учётных записей {users}. Сначала переместите их',
  }),
} as const satisfies FaultTable;
