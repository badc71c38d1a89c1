/**
 * All permissions in one table. A permission names one act; a letter of `role_menu_auth` grants a set of
 * them; the four built-in roles have fixed sets. Data scope is a separate rule in `server/core/scope.ts`.
 */
export const permissions = [
  'dashboard.read',
  'dashboard.setting',
  'project.read',
  'project.write',
  'project.create',
  'project.delete',
  'project.bind',
  'device.read',
  'device.create',
  'device.write',
  'device.delete',
  'device.secret',
  'device.bind',
  'device.configure',
  'device.control',
  'line.read',
  'line.rename',
  'line.switch',
  'tag.write',
  'timer.read',
  'timer.write',
  'alarm.read',
  'alarm.handle',
  'alarm.urge',
  'alarm.delete',
  'alarmType.read',
  'alarmType.write',
  'notice.read',
  'notice.write',
  'message.read',
  'message.write',
  'statistics.alarm',
  'statistics.energy',
  'statistics.electricity',
  'energy.correct',
  'tariff.write',
  'maintenance.read',
  'maintenance.write',
  'content.write',
  'person.read',
  'person.write',
  'role.read',
  'role.write',
  'user.read',
  'user.write',
  'category.write',
  'firmware.write',
  'database.write',
  'feedback.write',
  'operationLog.read',
  'operationLog.verify',
  'demo.run',
  'installation.manage',
] as const;
export type Permission = (typeof permissions)[number];

export const letters = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N'] as const;
export type Letter = (typeof letters)[number];

/** A timer switches a line for its author, so setting one needs both permissions. */
export const timerPermissions = ['timer.write', 'line.switch'] as const satisfies readonly Permission[];

/** What every signed-in user may do within their scope: read, and manage their own messages. */
const everyone: readonly Permission[] = [
  'dashboard.read',
  'project.read',
  'device.read',
  'line.read',
  'timer.read',
  'alarm.read',
  'alarmType.read',
  'message.read',
  'message.write',
  'maintenance.read',
];

export const ofLetter: Readonly<Record<Letter, readonly Permission[]>> = {
  A: ['statistics.alarm'],
  B: [
    'statistics.energy',
    'statistics.alarm',
    'line.switch',
    'line.rename',
    'device.control',
    'tag.write',
    'maintenance.write',
  ],
  C: ['statistics.electricity', 'energy.correct', 'tariff.write', 'timer.write', 'device.configure'],
  D: ['alarm.handle', 'alarm.urge', 'alarm.delete'],
  E: ['alarmType.write', 'notice.read', 'notice.write'],
  F: ['content.write'],
  G: ['person.read', 'person.write'],
  H: ['role.read', 'role.write'],
  I: ['user.read', 'user.write'],
  J: ['category.write'],
  K: ['firmware.write'],
  L: ['database.write'],
  M: ['feedback.write'],
  N: ['operationLog.read'],
};

/** Codes of the built-in roles; the letters decide for every other code. */
export const builtInRoles = {
  admin: 1,
  regionalAdmin: 2,
  projectAdmin: 3,
  projectRegionalAdmin: 32,
} as const;

const inTheField: readonly Permission[] = [
  'project.write',
  'device.write',
  'device.bind',
  'project.bind',
  'device.secret',
  'notice.read',
  'notice.write',
  'maintenance.write',
];
const fieldLetters: readonly Letter[] = ['A', 'B', 'C', 'D', 'N'];

/** Whether this role may back up, restore, optimise and repair the database, not only look at it. */
export const mayMaintainDatabase = (role: number): boolean => role === builtInRoles.admin;
const builtInCodes: readonly number[] = Object.values(builtInRoles);
export const isBuiltIn = (role: number): boolean => builtInCodes.includes(role);

/** Menu letters of a role: built-in roles have fixed ones (2, 3 and 32 have none of E to M). */
export const lettersOf = (role: number, roleMenuAuth: string): readonly Letter[] => {
  if (role === builtInRoles.admin) return letters;
  if (
    role === builtInRoles.regionalAdmin ||
    role === builtInRoles.projectAdmin ||
    role === builtInRoles.projectRegionalAdmin
  )
    return fieldLetters;
  return letters.filter((letter) => roleMenuAuth.includes(letter));
};

/** All permissions of a role code with the given letters. */
export const permissionsOf = (role: number, roleMenuAuth: string): ReadonlySet<Permission> => {
  if (role === builtInRoles.admin) return new Set(permissions);
  const granted = new Set<Permission>(everyone);
  for (const letter of lettersOf(role, roleMenuAuth))
    for (const permission of ofLetter[letter]) granted.add(permission);
  if (
    role === builtInRoles.regionalAdmin ||
    role === builtInRoles.projectAdmin ||
    role === builtInRoles.projectRegionalAdmin
  )
    for (const permission of inTheField) granted.add(permission);
  if (role === builtInRoles.regionalAdmin)
    for (const permission of ['project.create', 'project.delete', 'device.create', 'device.delete'] as const)
      granted.add(permission);
  return granted;
};
