export const projects = {
  title: '项目',
  empty: '您的数据范围内没有项目，请联系管理员分配。',
  quiet: '无待处理',
  unprocessed_other: '{{count}} 条未处理',
  column: {
    name: '项目',
    worst: '报警',
    online: '设备在线率',
    handled: '本月处理率',
    region: '地区',
    address: '地址',
    contact: '联系人',
    area: '面积',
    code: '编号',
    joined: '加入时间',
  },
};
