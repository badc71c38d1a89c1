/**
 * The device page: information that an electrician needs together is one tab; a tab with several sections
 * shows them below.
 */
export const deviceTabs = [
  { key: 'lines', parts: ['lines', 'tags'] },
  { key: 'readings', parts: ['readings'] },
  { key: 'alarms', parts: ['alarms'] },
  { key: 'settings', parts: ['parameters', 'enables', 'custom'] },
  { key: 'commands', parts: ['control', 'history'] },
  { key: 'timers', parts: ['timers'] },
  { key: 'about', parts: ['info', 'sim', 'contacts', 'map'] },
] as const;
export type DeviceTab = (typeof deviceTabs)[number]['key'];
export type DevicePart = (typeof deviceTabs)[number]['parts'][number];

/**
 * The address names a section, or a tab for its first section: addresses from before the tabs had sections
 * still work.
 */
export const placeAt = (asked: string | undefined): { tab: DeviceTab; part: DevicePart } => {
  const [lines] = deviceTabs;
  const byPart = deviceTabs.find(({ parts }) => parts.some((part) => part === asked));
  const { key, parts } = byPart ?? deviceTabs.find((tab) => tab.key === asked) ?? lines;
  return { tab: key, part: parts.find((part) => part === asked) ?? parts[0] };
};
