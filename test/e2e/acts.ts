/**
 * Which caller finds which acts on which screen. Source: the specification, §2 and §6, and what was settled about
 * roles and letters; not `contract/permissions.ts`, which the console itself asks.
 */
export interface Person {
  role: number;
  letters: string;
}
const field = 'ABCDN';
export const people: readonly Person[] = [
  { role: 1, letters: 'ABCDEFGHIJKLMN' },
  { role: 2, letters: field },
  { role: 3, letters: field },
  { role: 32, letters: field },
  { role: 151, letters: '' },
  { role: 152, letters: 'BD' },
  { role: 153, letters: 'EFGHIJKLMN' },
];

type May = (person: Person) => boolean;
const everybody: May = () => true;
const only =
  (...roles: number[]): May =>
  ({ role }) =>
    roles.includes(role);
/** Everybody with all of these letters. */
const letter =
  (letters: string): May =>
  (person) =>
    [...letters].every((each) => person.letters.includes(each));
const administrator = only(1);
const ofRegions = only(1, 2);
const ofProjects = only(1, 2, 3);
const inTheField = only(1, 2, 3, 32);

/**
 * Acts by their name on the screen: the text of a button, or of an item in the menu of the first row (`row: …`);
 * `select` means the boxes that choose rows, `toggle` the switches.
 */
type Acts = Readonly<Record<string, May>>;
const listed = { 'Export .xlsx': everybody };
const maintenance: Acts = {
  ...listed,
  ...{ 'Add record': letter('B'), Edit: letter('B'), 'row: Delete': letter('B') },
};
const queue: Acts = { ...listed, Handle: letter('D'), Remind: letter('D'), select: letter('D') };
const timers: Acts = {
  ...listed,
  ...{ 'Add timer': letter('BC'), Edit: letter('BC'), 'row: Delete': letter('BC') },
  ...{ toggle: letter('BC'), select: letter('BC') },
};
const lines: Acts = {
  ...{ 'Open all': letter('B'), 'Close all': letter('B'), 'Apply lock-out tag': letter('B') },
  ...{ 'Edit line': letter('B'), 'Open:': letter('B'), 'Close:': letter('B') },
};
const exported = (...by: string[]): Acts => ({
  'Export .xlsx': (person) => by.some((each) => letter(each)(person)),
});

/** Screens below /home that need no letter. */
export const screens: Readonly<Record<string, Acts>> = {
  projectlist: {
    ...listed,
    ...{ 'Add project': ofRegions, Edit: ofProjects, 'row: Delete': ofRegions, select: ofRegions },
    ...{ 'row: Bind devices': ofProjects, 'row: Parts': ofProjects },
    ...{ 'row: Devices': everybody, 'row: Maintenance': everybody, 'row: QR code': everybody },
  },
  devicelist: {
    ...listed,
    ...{ 'Add device': ofRegions, Import: ofRegions, 'row: Delete': ofRegions },
    ...{ 'row: Unbind': inTheField, select: inTheField },
  },
  alarmList: queue,
  timingconfig: timers,
  maintenanceRecord: maintenance,
  'linelist?device_id=DEVICE': lines,
  'devicedetails?device_id=DEVICE&tab=lines': lines,
  'devicedetails?device_id=DEVICE&tab=info': {
    ...{ Edit: inTheField, 'Choose an image': inTheField, 'New secret': inTheField },
  },
  'devicedetails?device_id=DEVICE&tab=sim': { 'Change the ICCID': inTheField },
  'devicedetails?device_id=DEVICE&tab=parameters': { 'Set the defaults…': letter('C') },
  'devicedetails?device_id=DEVICE&tab=enables': { toggle: letter('C') },
  'devicedetails?device_id=DEVICE&tab=control': { 'Self-test': letter('B'), Restart: letter('B') },
  'devicedetails?device_id=DEVICE&tab=contacts': { 'Save the contacts': inTheField },
  'devicedetails?device_id=DEVICE&tab=map': { 'Save this point': inTheField },
  'configinfo/devicesurvey?project_id=PROJECT': { Arrange: ofProjects },
  // B2 are alarm statistics, too.
  'configinfo/alarmstatistics?project_id=PROJECT': exported('A', 'B'),
  'configinfo/energydetail?project_id=PROJECT': exported('B'),
  'configinfo/epstatistics?project_id=PROJECT': { ...exported('C'), Tariff: letter('C') },
  'configinfo/loadstatistics?project_id=PROJECT': exported('C'),
  'configinfo/maintenancerecord?project_id=PROJECT': maintenance,
  'configinfo/earlywarning?project_id=PROJECT': { ...listed, select: letter('D') },
  'configinfo/warningnotice?project_id=PROJECT': {
    'Add a rule': (person) => inTheField(person) || letter('E')(person),
  },
  'configinfo/operationlog?project_id=PROJECT': exported('N'),
};

/** The settings pages of each letter. What holds for the whole installation is changed by role 1 alone. */
export const settings: Readonly<Record<string, { letter: string; acts: Acts }>> = {
  alarmstatisticsShezhi: { letter: 'A', acts: listed },
  energydetail: { letter: 'B', acts: listed },
  policestatistics: { letter: 'B', acts: listed },
  epstatistics: { letter: 'C', acts: listed },
  loadstatistics: { letter: 'C', acts: listed },
  earlywarning: { letter: 'D', acts: { ...listed, select: everybody } },
  alarmtype: { letter: 'E', acts: { 'Thresholds of a project': everybody, toggle: administrator } },
  bouncednotice: { letter: 'E', acts: { 'Add a rule': everybody, Channels: administrator } },
  contentmanage: { letter: 'F', acts: { 'Add a text': administrator } },
  permanage: { letter: 'G', acts: { 'Add person': everybody } },
  rolemanage: { letter: 'H', acts: { 'Add role': everybody } },
  USERManage: { letter: 'I', acts: { 'Add user': everybody, 'SMS gateway': administrator } },
  devicemanage: { letter: 'J', acts: { 'Add a category': administrator } },
  dataUpgrade: { letter: 'K', acts: { 'Add a version': administrator } },
  databasemanage: {
    letter: 'L',
    acts: {
      'Back up everything': administrator,
      Schedule: administrator,
      'Run a restore drill': administrator,
    },
  },
  FeedbackRecord: { letter: 'M', acts: { Answer: everybody, 'row: Delete': everybody } },
  operationlog: {
    letter: 'N',
    acts: { ...listed, 'Verify the log': administrator, 'Failed sign-ins': administrator },
  },
};
