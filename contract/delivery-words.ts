import type { DeliveryReason, DeliveryRow } from './deliveries.ts';
import { type Language, type Words, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';

export const deliveryStateWords: Readonly<Record<DeliveryRow['state'], Words>> = {
  queued: words('排队中', 'waiting', 'в очереди'),
  sent: words('发送中', 'being sent', 'отправляется'),
  accepted: words('已接收', 'accepted', 'принято'),
  failed: words('失败', 'failed', 'не доставлено'),
  suppressed: words('未发送', 'not sent', 'не отправлено'),
};
export const noticeChannelWords: Readonly<Record<DeliveryRow['channel'], Words>> = {
  app: words('应用推送', 'App', 'Приложение'),
  wechat: words('微信', 'WeChat', 'WeChat'),
  webhook: words('Webhook', 'Webhook', 'Webhook'),
};
const kindWords: Readonly<Record<DeliveryRow['kind'], Words>> = {
  raised: words('新报警', 'new', 'новый'),
  escalated: words('情况加重', 'got worse', 'стало хуже'),
  urged: words('催办', 'operator’s reminder', 'напоминание оператора'),
  reminder: words('提醒', 'reminder', 'повторное напоминание'),
  digest: words('每日汇总', 'daily summary', 'сводка за день'),
  cleared: words('恢复正常', 'all-clear', 'отбой'),
  test: words('测试', 'test', 'проверка'),
};
const reasonWords: Readonly<Record<DeliveryReason, Words>> = {
  silence: words('处于静默期', 'within the silence period', 'период тишины'),
  window: words('不在时间段内', 'outside the time window', 'вне интервала времени'),
  flood: words('短时间报警过多', 'too many alarms at once', 'слишком много сигналов сразу'),
  grouped: words(
    '已由发给同一人的另一条通知告知',
    'sent in another notification to the same person',
    'сообщено другим уведомлением тому же получателю',
  ),
  disabled: words(
    '该通知规则已停用或删除',
    'the notification rule is switched off or deleted',
    'правило уведомлений выключено или удалено',
  ),
  late: words('来自设备的补传', 'came from a device’s backlog', 'из накопленного устройством'),
  shelved: words('已被搁置', 'was shelved', 'отложен'),
  handled: words('此前已处理', 'was handled before', 'обработан раньше'),
  consequence: words('属于另一条报警', 'is part of another alarm', 'входит в другой сигнал'),
  deleted: words(
    '报警持续不足两秒或已删除',
    'the alarm lasted less than two seconds, or was deleted',
    'сигнал длился меньше двух секунд или удалён',
  ),
  no_account: words(
    '没有使用该手机号的账号',
    'no account with this phone number',
    'нет учётной записи с этим телефоном',
  ),
  no_subscription: words(
    '未在任何设备上开启通知',
    'has not turned on notifications on any device',
    'уведомления не включены ни на одном устройстве',
  ),
  no_openid: words('未绑定微信', 'has not linked WeChat', 'WeChat не привязан'),
  not_configured: words('该方式未配置', 'this channel is not configured', 'этот канал не настроен'),
  secret_unreadable: words(
    '已保存的密钥无法读取',
    'the stored secret cannot be read',
    'сохранённый секрет не читается',
  ),
  not_subscribed: words(
    '未关注公众号',
    'does not follow the WeChat account',
    'не подписан на аккаунт WeChat',
  ),
  gone: words(
    '该设备不再接收通知',
    'the device no longer accepts notifications',
    'устройство больше не принимает уведомления',
  ),
  private_address: words(
    '不允许发往内网地址',
    'addresses of private networks are not allowed',
    'адреса частных сетей запрещены',
  ),
  refused: words('被接收方拒绝', 'refused by the receiver', 'отклонено получателем'),
  quota: words('当日额度已用完', 'the daily quota is used up', 'дневная квота исчерпана'),
  busy: words(
    '接收方繁忙，将重试',
    'the receiver is busy, will be tried again',
    'получатель занят, будет повтор',
  ),
  unreachable: words('无法连接接收方', 'the receiver cannot be reached', 'получатель недоступен'),
  timeout: words(
    '未及时应答，不确定是否送达',
    'no answer in time: unknown whether it arrived',
    'нет ответа вовремя: неизвестно, дошло ли',
  ),
  interrupted: words(
    '发送时服务器中断，不确定是否送达',
    'the server ended while sending: unknown whether it arrived',
    'сервер остановился при отправке: неизвестно, дошло ли',
  ),
  active_again: words(
    '恢复通知发出前再次报警',
    'alarm returned before the all-clear was sent',
    'сигнал вернулся до отправки отбоя',
  ),
  not_notified: words(
    '报警通知未送达，无需通知恢复',
    'the alarm itself was not delivered',
    'сам сигнал не был доставлен',
  ),
  owner_disabled: words(
    '通知规则创建者的账号已停用或删除',
    'the account that the notification rule belongs to is disabled or deleted',
    'учётная запись владельца правила отключена или удалена',
  ),
  owner_scope: words(
    '通知规则创建者已无权查看该项目',
    'the account that the notification rule belongs to no longer sees this project',
    'владелец правила больше не видит этот объект',
  ),
  account_disabled: words(
    '接收人的账号已停用或删除',
    'the recipient’s account is disabled or deleted',
    'учётная запись получателя отключена или удалена',
  ),
  recipient_scope: words(
    '接收人已无权查看该报警',
    'the recipient no longer sees this alarm',
    'получатель больше не видит этот сигнал',
  ),
  rule_changed: words(
    '通知规则已修改，不再包含该报警或接收人',
    'the notification rule was changed and no longer covers this alarm or recipient',
    'правило уведомлений изменено и больше не охватывает этот сигнал или получателя',
  ),
  no_contact: words('未填写联系人', 'there is no contact', 'контактное лицо не указано'),
  no_reader: words(
    '规则的接收人均无权查看该报警',
    'no recipient of the notification rule sees this alarm',
    'никто из получателей правила не видит этот сигнал',
  ),
  no_regional_admin: words(
    '没有可查看该报警的区域管理员',
    'there is no regional administrator who sees this alarm',
    'нет регионального администратора, который видит этот сигнал',
  ),
  no_admin: words(
    '没有启用的平台管理员账号',
    'there is no active administrator account',
    'нет действующей учётной записи администратора',
  ),
};
const hasWords = (reason: string): reason is DeliveryReason => Object.hasOwn(reasonWords, reason);
/** Why nothing was sent, or why it failed; unknown reasons are shown as stored. */
export const deliveryReasonText = (reason: string, language: Language): string =>
  hasWords(reason) ? reasonWords[reason][language] : reason;

const instantOf = (at: string | null): Date | null => (at === null ? null : new Date(at));
export const deliverySheet: TableSheet<DeliveryRow> = {
  name: words('通知推送', 'Notifications', 'Уведомления'),
  columns: [
    { header: words('接收人', 'Recipient', 'Получатель'), cell: ({ recipient }) => recipient },
    {
      header: words('渠道', 'Channel', 'Канал'),
      cell: ({ channel }, language) => noticeChannelWords[channel][language],
    },
    { header: words('类型', 'Kind', 'Вид'), cell: ({ kind }, language) => kindWords[kind][language] },
    {
      header: words('状态', 'State', 'Состояние'),
      cell: ({ state }, language) => deliveryStateWords[state][language],
    },
    {
      header: words('说明', 'Reason', 'Причина'),
      cell: ({ reason }, language) => reason && deliveryReasonText(reason, language),
    },
    { header: words('尝试次数', 'Tries', 'Попыток'), kind: 'number', cell: ({ attempts }) => attempts },
    { header: words('报警数', 'Alarms', 'Сигналов'), kind: 'number', cell: ({ alarms }) => alarms },
    {
      header: words('创建时间', 'Created', 'Создано'),
      kind: 'instant',
      cell: ({ created_at }) => instantOf(created_at),
    },
    {
      header: words('发送时间', 'Sent', 'Отправлено'),
      kind: 'instant',
      cell: ({ sent_at }) => instantOf(sent_at),
    },
    {
      header: words('结束时间', 'Ended', 'Завершено'),
      kind: 'instant',
      cell: ({ ended_at }) => instantOf(ended_at),
    },
  ],
};
