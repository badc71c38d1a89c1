export const categories = {
  title: '类别管理',
  empty: '暂无类别。可按需要将设备分组，例如水泵、电梯、机房。',
  add: '新增类别',
  act: '编辑',
  edit: '编辑类别',
  enabled: '启用',
  column: {
    name: '类别名称',
    icon: '图标',
    description: '描述',
    devices: '设备数',
    status: '状态',
    created: '创建时间',
  },
  status: { enabled: '启用', disabled: '停用' },
  remove: {
    act: '删除',
    title: '删除“{{name}}”？',
    text: '仍有设备使用的类别不会被删除。',
    done: '类别已删除',
  },
};
