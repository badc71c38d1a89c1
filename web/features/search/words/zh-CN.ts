export const search = {
  title: '搜索',
  hint: '名称、编号、IMEI、电话、工单号',
  how: '请至少输入两个字符。中文名称可用拼音或首字母查找，方向键可在结果间移动。',
  none: '在您的项目中没有找到“{{text}}”。',
  more_other: '还有更多结果，仅显示 {{count}} 条，请输入更完整的名称。',
  group: { projects: '项目', devices: '设备', lines: '线路', alarms: '报警', people: '人员' },
};
