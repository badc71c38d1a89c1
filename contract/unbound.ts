/**
 * Calls of the specification (§7) whose feature is not built yet: part of the published interface, not bound.
 * A feature that binds one takes it off this list; a test holds that list and bound endpoints together are exactly §7.
 */
export const unbound = [
  'POST /system_message/index',
  'POST /system_message/getMessageType',
  'POST /system_message/getRed',
  'POST /system_message/del',
  'POST /index/Setting',
  'POST /device_line/warin_type_trend',
  'POST /device_warning/bullet_frame',
  'POST /device_warning/change_frame',
  'POST /device_warning/warning_timing_list',
  'POST /device_warning/add_warning_timing',
  'POST /device_warning/edit_warning_timing',
  'POST /device_warning/del_waring_timing',
  'GET /Project/edit_project',
  'POST /Project/edit_project',
  'POST /Project/add_project',
  'POST /Project/delete_project',
  'POST /Project/qrcode',
  'POST /table_list',
] as const;
