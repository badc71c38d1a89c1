import type { Language } from '../languages.ts';
import { alarmFaults } from './alarms.ts';
import { backupFaults } from './backups.ts';
import { controlFaults } from './control.ts';
import { coreFaults } from './core.ts';
import { dashboardFaults } from './dashboard.ts';
import { demoFaults } from './demo.ts';
import { deviceFaults } from './devices.ts';
import { evidencePackFaults } from './evidence-pack.ts';
import { filled } from './filled.ts';
import { firmwareFaults } from './firmware.ts';
import { installationFaults } from './installation.ts';
import { maintenanceFaults } from './maintenance.ts';
import { noticeFaults } from './notices.ts';
import { operationLogFaults } from './operation-log.ts';
import { peopleFaults } from './people.ts';
import { projectFaults } from './projects.ts';
import { recordFaults } from './records.ts';
import { scheduledFaults } from './scheduled.ts';
import { searchFaults } from './search.ts';
import { sessionFaults } from './session.ts';
import { settingFaults } from './settings.ts';
import { statisticsFaults } from './statistics.ts';
import { tagFaults } from './tags.ts';
import { timerFaults } from './timers.ts';

/** Every fault, each with a sentence in every language: one without does not compile. */
export const faults = {
  ...coreFaults,
  ...sessionFaults,
  ...deviceFaults,
  ...controlFaults,
  ...alarmFaults,
  ...dashboardFaults,
  ...demoFaults,
  ...timerFaults,
  ...tagFaults,
  ...settingFaults,
  ...noticeFaults,
  ...operationLogFaults,
  ...statisticsFaults,
  ...recordFaults,
  ...scheduledFaults,
  ...installationFaults,
  ...projectFaults,
  ...maintenanceFaults,
  ...searchFaults,
  ...peopleFaults,
  ...backupFaults,
  ...firmwareFaults,
  ...evidencePackFaults,
} as const;
export type FaultCode = keyof typeof faults;

export const isFault = (code: string): code is FaultCode => Object.hasOwn(faults, code);

/** The sentence of a fault with its parameters filled in. */
export const sentence = (
  code: FaultCode,
  language: Language,
  parameters: Readonly<Record<string, string | number>> = {},
): string => filled(faults[code], language, parameters);
