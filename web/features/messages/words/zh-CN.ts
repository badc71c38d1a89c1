export const messages = {
  title: '消息',
  empty: '没有消息。发给您的报警、催办、未执行的定时以及系统消息会出现在这里。',
  all: '全部',
  unread_other: '{{count}} 条未读',
  column: { title: '消息', text: '内容', type: '类别', time: '时间', state: '状态' },
  type: { alarm: '报警', urge: '催办', timer: '定时', tag: '挂牌', device: '设备', system: '系统' },
  state: { read: '已读', unread: '未读' },
  markRead: '标为已读',
  markAll: '全部标为已读',
  marked_other: '已将 {{count}} 条标为已读',
  remove: {
    act: '删除',
    title_other: '删除 {{count}} 条消息？',
    text: '只从您的列表中移除，报警及其历史保留。',
    done_other: '已删除 {{count}} 条消息',
  },
  open: { alarm: '查看报警', device: '查看设备' },
};
