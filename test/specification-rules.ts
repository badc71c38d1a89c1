import type { FaultCode } from '#contract/faults/codes.ts';
import { takes, type WrittenField } from './specification-fields.ts';

type Outside = readonly [value: unknown, fault: FaultCode];
/** Stands for a valid value that only the test knows: the id of a row. */
export const known = Symbol('a known value');
/** A rule of section 5 of the specification. */
export interface Rule {
  readonly rule: string;
  /** Selects the fields of the rule by name, so that it applies to new calls too. */
  readonly binds: (field: WrittenField) => boolean;
  /** Values just inside the bounds. */
  readonly inside: readonly unknown[];
  /**
   * Values just outside the bounds, each with the fault that marks the field. `undefined` leaves the field
   * out.
   */
  readonly outside: (field: WrittenField) => readonly Outside[];
  /** Values of the other fields that the rule compares with. */
  readonly beside?: (value: unknown) => Readonly<Record<string, unknown>>;
}

const isOf =
  (names: RegExp, logs = /./) =>
  ({ name, endpoint }: WrittenField): boolean =>
    names.test(name) && logs.test(endpoint.log ?? '');
const isTop = ({ at }: WrittenField): boolean => !at.includes('.');
const marked = (fault: FaultCode, values: readonly unknown[]): Outside[] =>
  values.map((value) => [value, fault]);
const always = (fault: FaultCode, values: readonly unknown[]) => () => marked(fault, values);
/** A field that an edit may omit is not empty when it is omitted: it keeps its value. */
const empty = (fault: FaultCode) => (field: WrittenField) =>
  marked(fault, field.required ? [undefined, '', '  '] : ['', '  ']);

const signIn = /^session\.signIn$/;
const atSignIn: readonly Rule[] = [
  {
    rule: 'sign-in: account required',
    binds: isOf(/^username$/, signIn),
    inside: ['a'],
    outside: always('field.account', [undefined, '']),
  },
  {
    rule: 'sign-in: password required',
    binds: isOf(/^password$/, signIn),
    inside: ['a'],
    outside: always('field.password', [undefined, '']),
  },
  {
    rule: 'sign-in: four-digit verification code',
    binds: isOf(/^code$/, signIn),
    inside: [],
    outside: always('field.code', [undefined, '', '123', '12345', 'abcd', '1 34']),
  },
];

const mixed = (length: number) => 'a1'.repeat(length).slice(0, length);
/** Whether the field sets a password of an account, not one that proves the caller's identity. */
const isSet = ({ endpoint, at }: WrittenField): boolean =>
  at === 'password' &&
  endpoint.permission !== 'public' &&
  ['username', 'repeat_password'].some((beside) => takes(endpoint, beside));
const repeated = (value: unknown) => ({ repeat_password: value });
const passwords: readonly Rule[] = [
  {
    rule: 'password change: 6 to 12 digits and letters',
    binds: isOf(/^new_password$/),
    inside: [mixed(6), mixed(12)],
    outside: always('password.length', [
      ...[mixed(5), mixed(13)],
      ...['abcdefgh', '12345678', 'abc 1234', '密码abc123'],
    ]),
    beside: (value) => ({ old_password: 'other1', ...repeated(value) }),
  },
  {
    rule: 'password change: old and new must differ',
    binds: isOf(/^new_password$/),
    inside: ['abc124'],
    outside: always('password.same', ['abc123']),
    beside: (value) => ({ old_password: 'abc123', ...repeated(value) }),
  },
  {
    rule: 'password: the repeated one is the same',
    binds: isOf(/^repeat_password$/),
    inside: ['abc124'],
    outside: always('password.repeat', ['abc125', '', 'ABC124']),
    beside: () => ({ old_password: 'abc123', new_password: 'abc124', password: 'abc124' }),
  },
  {
    rule: 'password on add: 6 to 20 characters, letters plus digits',
    binds: isSet,
    inside: [mixed(6), mixed(20)],
    outside: always('password.addLength', [mixed(5), mixed(21), 'abcdefgh', '12345678', 'abc 1234']),
    beside: repeated,
  },
  {
    rule: 'password on add: not empty',
    binds: isSet,
    inside: [mixed(6)],
    outside: always('user.password', [undefined, '']),
    beside: repeated,
  },
];

const people: readonly Rule[] = [
  {
    rule: 'phone number: 11 digits',
    binds: isOf(/(^|_)(mobile|phone)$/),
    inside: ['13800000001', '+7 (912) 345-67-89', '138-0000-0001'],
    outside: always('phone.digits', ['1380000000', '138000000000', '1380000000a']),
  },
  {
    rule: 'real name: 2 to 7 characters, in other scripts than Chinese up to 60',
    binds: (field) =>
      isOf(/^(nickname|contact_name|handler_name)$/)(field) ||
      field.at === 'contacts.0.name' ||
      isOf(/^name$/, /^person\./)(field),
    inside: ['王伟', '一二三四五六七', 'Ян', 'x'.repeat(60)],
    outside: ({ at }) =>
      marked(at.startsWith('contacts') ? 'contact.name' : 'name.real', [
        ...['王', '一二三四五六七八'],
        ...['x', 'x'.repeat(61)],
      ]),
  },
  {
    rule: 'a correct email',
    binds: isOf(/^email$/),
    inside: ['li@example.org'],
    outside: always('email.form', ['nobody', 'a@', '@example.org', 'a b@example.org']),
  },
];

const renaming = /^line\.change$/;
const settings: readonly Rule[] = [
  {
    rule: 'line rename: the new name is not empty',
    binds: isOf(/^name$/, renaming),
    inside: ['P'],
    outside: always('line.name', ['', ' ']),
    beside: () => ({ old_name: 'Line 1' }),
  },
  {
    rule: 'line rename: the new name differs from the old',
    binds: isOf(/^name$/, renaming),
    inside: ['Line 2'],
    outside: always('line.nameSame', ['Line 1', ' Line 1 ']),
    beside: () => ({ old_name: 'Line 1' }),
  },
  {
    rule: 'line rename: the old name matches the list',
    binds: isOf(/^old_name$/),
    inside: ['Line 1'],
    outside: always('line.nameOld', ['Line 9', 'line 1']),
    beside: () => ({ name: 'Pump' }),
  },
  {
    rule: 'custom settings are a JSON object',
    binds: isOf(/^custom$/),
    inside: [{}, { a: 1 }, '{"a":1}'],
    outside: always('setting.notObject', [[1], 'text', '[1]', '{', 7, null]),
  },
  {
    rule: 'server address and device address required',
    binds: isOf(/^(server|device)_address$/),
    inside: ['mqtt.example.org'],
    outside: always('service.server', [undefined, '', ' ']),
  },
  {
    rule: 'new firmware version required',
    binds: isOf(/^appVersion$/),
    inside: ['1.0'],
    outside: always('field.required', [undefined, '', ' ']),
  },
  {
    rule: 'device type of a version required',
    binds: isOf(/^mac_type$/),
    inside: [3],
    outside: always('field.required', [undefined]),
  },
  {
    rule: 'download link or file of a version required',
    binds: isOf(/^file$/, /^version\./),
    inside: [],
    outside: always('firmware.file', [undefined]),
    beside: () => ({ appUrl: undefined }),
  },
  {
    rule: 'a correct download link',
    binds: isOf(/^appUrl$/),
    inside: ['https://example.org/a.bin'],
    outside: always('firmware.url', ['a.bin', 'ftp://example.org/a.bin']),
  },
];

/** Required fields, by the names of field and call, with a valid value. */
const required: readonly [rule: string, names: RegExp, logs: RegExp, fault: FaultCode, inside: unknown][] = [
  ['title', /^title$/, /^content\./, 'content.title', 'T'],
  ['content', /^content$/, /^content\./, 'content.text', 'T'],
  ['content of handling an alarm', /^content$/, /^alarm\./, 'alarm.content', 'OK'],
  ['content of feedback', /^content$/, /^feedback\./, 'feedback.content', 'T'],
  ['maintenance content', /^content$/, /^maintenance\./, 'maintenance.content', 'T'],
  ['platform version', /^platformVersion$/, /./, 'field.required', '1.0'],
  ['device name of a version', /^mac_name$/, /./, 'field.required', 'S'],
  ['device name', /^name$/, /^device\.(add|change)$/, 'device.name', 'D'],
  ['username', /^username$/, /^user\./, 'user.username', 'somebody'],
  ['nickname', /^nickname$/, /^user\./, 'user.nickname', 'Li Wei'],
  ['role type', /^role_id$/, /^user\./, 'user.role', known],
  ['email', /^email$/, /^user\./, 'user.email', 'li@example.org'],
  ['contact number', /^mobile$/, /^(user|person)\./, 'user.mobile', '13800000001'],
  ['name of a person', /^name$/, /^person\./, 'person.name', 'Li Wei'],
  ['name of a project', /^name$/, /^project\./, 'project.name', 'P'],
  ['role name', /^name$/, /^role\./, 'role.name', 'R'],
  ['role description', /^description$/, /^role\./, 'role.description', 'R'],
  ['category name', /^name$/, /^category\./, 'category.name', 'C'],
  ['category icon', /^icon_id$/, /./, 'category.icon', '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab'],
];
const notEmpty = required.map(
  ([rule, names, logs, fault, inside]): Rule => ({
    rule: `${rule} cannot be empty`,
    binds: (field) => isTop(field) && isOf(names, logs)(field),
    inside: [inside],
    outside: empty(fault),
  }),
);

/** Ids that no row has: a selection of them passes the check and changes nothing. */
const nobody = 2_000_000_000;
const selectionFault = ({ name, endpoint }: WrittenField): FaultCode => {
  if (name === 'device_ids') return 'setting.devices';
  if (name === 'project_ids') return 'project.choose';
  if (endpoint.log?.startsWith('database.')) return 'backup.selection';
  return endpoint.log?.startsWith('alarm.') ? 'alarm.selection' : 'selection.none';
};
const choices: readonly Rule[] = [
  {
    rule: 'alarm type cannot be empty',
    binds: (field) => field.required && isOf(/^typeNumber$/)(field),
    inside: [101],
    outside: always('field.required', [undefined]),
  },
  {
    rule: 'role permissions must be set',
    binds: (field) => isTop(field) && isOf(/^letters$/)(field),
    inside: [['A']],
    outside: always('role.letters', [[]]),
  },
  {
    rule: 'a selection is required before batch delete, urge or handle',
    binds: (field) =>
      isTop(field) && isOf(/(^|_)(ids|names)$/, /delete|remove|unbind|urge|batchHandle/)(field),
    inside: [[nobody]],
    outside: (field) => marked(selectionFault(field), [[], undefined]),
    // Some of these calls also accept a single id.
    beside: () => ({ id: undefined }),
  },
  {
    rule: 'a project must be selected',
    binds: (field) => field.required && isOf(/^project_id$/)(field),
    inside: [nobody],
    outside: always('project.choose', [undefined, '', 0, 'abc']),
  },
  {
    rule: 'a project must be selected for a person',
    binds: (field) => isTop(field) && isOf(/^project_ids$/, /^person\./)(field),
    inside: [known],
    outside: always('person.projects', [[]]),
  },
  {
    rule: 'a device must be chosen',
    binds: (field) => field.required && isOf(/^device_id$/)(field),
    inside: [nobody],
    outside: always('setting.devices', [undefined, '', 0, 'abc']),
  },
  {
    rule: 'a line must be chosen',
    binds: (field) => field.required && isOf(/^line_id$/)(field),
    inside: [nobody],
    outside: ({ endpoint }) =>
      marked(endpoint.log === 'timer.add' ? 'timer.line' : 'control.lineNeeded', [undefined, '', 0, 'abc']),
  },
  {
    rule: 'a map point must be chosen',
    binds: isOf(/^lat$/),
    inside: [22.5],
    outside: always('map.choose', [undefined]),
    beside: () => ({ lng: 113.9 }),
  },
];

export const rules: readonly Rule[] = [
  ...atSignIn,
  ...passwords,
  ...people,
  ...settings,
  ...notEmpty,
  ...choices,
];
