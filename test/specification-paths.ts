/** Section 7 of the specification in its own spelling: every call of the product. */
const post = (prefix: string, names: string) => names.split(' ').map((name) => `POST ${prefix}${name}`);

export const specificationPaths = [
  'GET /sign_user/signin',
  ...post('/sign_user/', 'signin get_address'),
  'POST /index/get_code',
  ...post('/system_message/', 'index getMessageType getRed del'),
  ...post(
    '/index/',
    'census getDeviceWarnList getProjectPlace warin_type_trend waringCensus warinCensusGrew warin_type_spread Setting',
  ),
  ...post('/Device/', 'get_device_list remove_device change_device'),
  ...post(
    '/device/',
    'del_device get_device_detail get_device_info_set edit_contact change_image change_ICCID change_device_line set_customize_console tpdhbConfigList setTPDHB selectSetting get_device_set_one device_set first_device_set',
  ),
  ...post('/device_info/', 'devideType get_list get_device_info'),
  'POST /device_log/get_list',
  'POST /device_service/set_device_service',
  'POST /device_patrol/get_device_list',
  ...post(
    '/device_do/',
    'get_device_do_info device_do device_use device_default setDeviceEnableNetCtrl explainingVariableApi',
  ),
  'GET /device_do/device_use',
  'GET /device_do/setDeviceEnableNetCtrl',
  ...post('/device_line/', 'get_list get_device_line_details onekey_opening get_line_log warin_type_trend'),
  'POST /device_warning_type/get_list',
  ...post(
    '/device_warning/',
    'WarningList getDetatil handle toPush batchHandle warin_type_spread warin_census del_war get_news_tips bullet_frame change_frame warning_timing_list add_warning_timing edit_warning_timing del_waring_timing',
  ),
  ...post('/Project/', 'get_project_list edit_project bind_device add_project delete_project qrcode'),
  'GET /Project/edit_project',
  ...post(
    '/device_timing/',
    'get_list delete_device_timing add_device_timing get_device_line edit_device_titming',
  ),
  'GET /device_timing/edit_device_titming',
  ...post('/', 'login logout table_list'),
] as const;
