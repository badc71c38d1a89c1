/**
 * One symbol for each hundred of the catalogue: voltage, current, leakage, heat, arc, harmonics, switching,
 * device.
 */
const drawings: Readonly<Record<number, string>> = {
  1: 'M13 2L5 13.5H11L9.5 22L19 9.5H12.5Z',
  2: 'M4 16A8 8 0 1 1 20 16M12 16L16.5 9M2 20H22',
  3: 'M12 3C16 8.5 18.5 11.5 18.5 15A6.5 6.5 0 0 1 5.5 15C5.5 11.5 8 8.5 12 3ZM9 15.5H15M10.3 18H13.7',
  4: 'M9 13.5V5A3 3 0 0 1 15 5V13.5A5 5 0 1 1 9 13.5ZM12 8V17M18 5H21M18 9H21',
  5: 'M3 18L8 6L11 14L14 8L16 12M16 12L21 6M16 12L21.5 13M16 12L20 19',
  6: 'M2 12C4 3 6 3 8 12S12 21 14 12S18 3 20 12L22 12M2 20H22',
  7: 'M2 15H8M16 15H22M8 15L16 7M8 15m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0M16 15m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0',
  8: 'M4 5H20V19H4ZM8 9H16M8 13H12M16 15.5V16M8 22H16',
};
const site = 'M12 3L21 12L12 21L3 12ZM12 8V13M12 15.5V16';

/** The kind of problem of an alarm type; always beside its name. */
export const AlarmTypeIcon = ({ code, size = 20 }: { code: number; size?: number }) => (
  <svg
    className="alarm-type-icon"
    viewBox="0 0 24 24"
    width={size}
    height={size}
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={drawings[Math.floor(code / 100)] ?? site} />
  </svg>
);
