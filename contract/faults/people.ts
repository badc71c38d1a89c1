import type { FaultTable } from './table.ts';

const field = <Words extends { 'zh-CN': string; 'en-US': string; 'ru-RU': string }>(words: Words) => ({
  http: 422,
  code: 422,
  ...words,
});
const conflict = <Words extends { 'zh-CN': string; 'en-US': string; 'ru-RU': string }>(words: Words) => ({
  http: 409,
  code: 409,
  ...words,
});

/** Users, roles and personnel. Source of the required fields: specification §5. */
export const peopleFaults = {
  'user.username': field({
    'zh-CN': '用户名不能为空',
    'en-US': 'Username cannot be empty',
    'ru-RU': 'Имя пользователя не может быть пустым',
  }),
  'user.usernameForm': field({
    'zh-CN': '用户名最多 32 个字符，只能包含文字、数字和 . _ @ -',
    'en-US': 'A username has at most 32 letters, digits and . _ @ -',
    'ru-RU': 'Имя пользователя: не более 32 букв, цифр и знаков . _ @ -',
  }),
  'user.nickname': field({
    'zh-CN': '昵称不能为空',
    'en-US': 'Nickname cannot be empty',
    'ru-RU': 'Имя не может быть пустым',
  }),
  'user.role': field({
    'zh-CN': '角色类型不能为空',
    'en-US': 'Role type cannot be empty',
    'ru-RU': 'Выберите роль',
  }),
  'user.email': field({
    'zh-CN': '邮箱不能为空',
    'en-US': 'Email cannot be empty',
    'ru-RU': 'Адрес эл. почты не может быть пустым',
  }),
  'user.mobile': field({
    'zh-CN': '联系电话不能为空',
    'en-US': 'Contact number cannot be empty',
    'ru-RU': 'Контактный телефон не может быть пустым',
  }),
  'user.password': field({
    'zh-CN': '密码不能为空',
    'en-US': 'Password cannot be empty',
    'ru-RU': 'Пароль не может быть пустым',
  }),
  'password.addLength': field({
    'zh-CN': '密码为 6 至 20 位，须同时包含字母和数字',
    'en-US': 'The password has 6 to 20 letters and digits, both of them',
    'ru-RU': 'Пароль: от 6 до 20 знаков, и буквы, и цифры',
  }),
  'user.project': field({
    'zh-CN': '请选择项目',
    'en-US': 'Select a project',
    'ru-RU': 'Выберите объект',
  }),
  'user.region': field({
    'zh-CN': '请选择区域',
    'en-US': 'Select an area',
    'ru-RU': 'Выберите регион',
  }),
  'user.parts': field({
    'zh-CN': '请选择项目内的区域',
    'en-US': 'Select parts of the project',
    'ru-RU': 'Выберите участки объекта',
  }),
  'user.oneScope': field({
    'zh-CN': '项目和区域只能选择其一',
    'en-US': 'Select either a project or an area, not both',
    'ru-RU': 'Выберите либо объект, либо регион',
  }),
  'user.noScope': field({
    'zh-CN': '平台管理员管理全部项目，不能指定项目或区域',
    'en-US': 'A platform administrator manages every project: select no project and no area',
    'ru-RU': 'Администратор платформы управляет всеми объектами: не выбирайте объект или регион',
  }),
  'user.taken': conflict({
    'zh-CN': '用户名已被占用',
    'en-US': 'This username is taken',
    'ru-RU': 'Это имя пользователя уже занято',
  }),
  'user.elsewhere': conflict({
    'zh-CN': '无法使用此用户名，请换一个',
    'en-US': 'This username cannot be used. Choose another one',
    'ru-RU': 'Это имя пользователя использовать нельзя. Выберите другое',
  }),
  'user.self': conflict({
    'zh-CN': '不能删除或停用自己的账号，也不能更改自己的角色、项目或区域，请由其他管理员操作',
    'en-US':
      'You cannot delete or disable your own account, or change its role, project or area. Ask another administrator to do it',
    'ru-RU':
      'Нельзя удалить или отключить свою учётную запись либо изменить её роль, объект или регион. Попросите другого администратора',
  }),
  'user.lastAdmin': conflict({
    'zh-CN': '这是最后一个可用的平台管理员，不能删除、停用或更改角色。请先添加或启用另一个平台管理员',
    'en-US':
      'This is the last enabled platform administrator: it cannot be deleted, disabled or given another role. Add or enable another one first',
    'ru-RU':
      'Это последний действующий администратор платформы: его нельзя удалить, отключить или сменить ему роль. Сначала добавьте или включите другого',
  }),
  'user.beyond': {
    http: 403,
    code: 403,
    'zh-CN': '只能授予自己拥有的权限和数据范围',
    'en-US': 'You can grant only permissions and projects that you have yourself',
    'ru-RU': 'Можно предоставлять только те права и объекты, которые есть у вас',
  },
  'user.automaticAdmin': conflict({
    'zh-CN': '平台管理员账号不能设置自动登录',
    'en-US': 'Automatic sign-in cannot be enabled for a platform administrator',
    'ru-RU': 'Автоматический вход нельзя разрешить администратору платформы',
  }),
  'role.name': field({
    'zh-CN': '角色名称不能为空',
    'en-US': 'Role name cannot be empty',
    'ru-RU': 'Название роли не может быть пустым',
  }),
  'role.description': field({
    'zh-CN': '角色描述不能为空',
    'en-US': 'Role description cannot be empty',
    'ru-RU': 'Описание роли не может быть пустым',
  }),
  'role.letters': field({
    'zh-CN': '请设置角色权限',
    'en-US': 'Set the permissions of the role',
    'ru-RU': 'Задайте права роли',
  }),
  'role.parent': field({
    'zh-CN': '请选择上级角色',
    'en-US': 'Select the parent role',
    'ru-RU': 'Выберите вышестоящую роль',
  }),
  'role.loop': field({
    'zh-CN': '上级角色不能是该角色本身或其下级',
    'en-US': 'The parent cannot be the role itself or a role below it',
    'ru-RU': 'Вышестоящей не может быть сама роль или подчинённая ей',
  }),
  'role.missing': {
    http: 404,
    code: 404,
    'zh-CN': '角色不存在',
    'en-US': 'Role does not exist',
    'ru-RU': 'Роль не существует',
  },
  'role.taken': conflict({
    'zh-CN': '同一上级角色下已有此名称',
    'en-US': 'The parent role already has a role with this name',
    'ru-RU': 'У вышестоящей роли уже есть роль с таким названием',
  }),
  'role.builtIn': conflict({
    'zh-CN': '内置角色的上级、权限不能更改，也不能删除',
    'en-US': 'A built-in role keeps its parent and permissions, and cannot be deleted',
    'ru-RU': 'Встроенная роль сохраняет место и права, удалить её нельзя',
  }),
  'role.top': conflict({
    'zh-CN': '平台管理员角色不能停用',
    'en-US': 'The role of platform administrators cannot be disabled',
    'ru-RU': 'Роль администратора платформы нельзя отключить',
  }),
  'role.own': conflict({
    'zh-CN': '不能更改自己的角色',
    'en-US': 'You cannot change your own role',
    'ru-RU': 'Нельзя изменять собственную роль',
  }),
  'role.inUse': conflict({
    'zh-CN': '该角色正在使用中，不能删除：{by}。请先将其改到其他角色下或删除',
    'en-US': 'The role is in use and cannot be deleted: {by}. Move them to another role or delete them first',
    'ru-RU': 'Роль используется, её нельзя удалить: {by}. Сначала переведите их в другую роль или удалите',
  }),
  'role.shared': conflict({
    'zh-CN': '您管理范围以外的账号也在使用该角色，只有管理全部这些账号的管理员才能更改',
    'en-US':
      'Accounts outside your scope have this role; only an administrator who manages all of them can change it',
    'ru-RU':
      'Эта роль есть у учётных записей вне вашей области; изменить её может только администратор, который управляет ими всеми',
  }),
  'role.many': conflict({
    'zh-CN': '角色数量已达上限 {limit}',
    'en-US': 'There can be at most {limit} roles',
    'ru-RU': 'Ролей может быть не больше {limit}',
  }),
  'person.name': field({
    'zh-CN': '姓名不能为空',
    'en-US': 'Name cannot be empty',
    'ru-RU': 'Имя не может быть пустым',
  }),
  'person.projects': field({
    'zh-CN': '请选择项目',
    'en-US': 'Select a project',
    'ru-RU': 'Выберите объект',
  }),
  'person.missing': {
    http: 404,
    code: 404,
    'zh-CN': '人员不存在',
    'en-US': 'Person does not exist',
    'ru-RU': 'Сотрудник не существует',
  },
  'person.shared': conflict({
    'zh-CN': '该人员还属于您管理范围以外的项目，不能修改姓名和号码',
    'en-US': 'Projects outside your scope name this person too; you can change only your own projects here',
    'ru-RU': 'Этот сотрудник указан и в объектах вне вашей области: изменить можно только свои объекты',
  }),
} as const satisfies FaultTable;
