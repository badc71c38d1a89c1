/** Why a device message was refused; counted per device and shown on its page. */
const refusalCodes = [
  'oversized',
  'not_json',
  'duplicate_name',
  'bad_envelope',
  'wrong_type',
  'too_old',
  'unknown_line',
  'unknown_code',
  'duplicate_line',
  'retained',
  'foreign_topic',
  'type_mismatch',
  'not_storable',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];
