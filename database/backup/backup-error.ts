/** Why a backup cannot be made, read or restored; fault codes are `backup.` + one of these. */
type BackupFlaw =
  | 'missing'
  | 'damaged'
  | 'passphrase'
  | 'passphraseNeeded'
  | 'newer'
  | 'older'
  | 'schema'
  | 'notInside'
  | 'noSpace'
  | 'constraint'
  | 'duplicate'
  | 'counted'
  | 'lost'
  | 'noScratch'
  | 'cancelled';

/** A backup or restore that was refused or aborted; nothing incomplete remains. */
export class BackupError extends Error {
  readonly flaw: BackupFlaw;
  readonly about: Readonly<Record<string, string | number>>;
  constructor(flaw: BackupFlaw, about: Readonly<Record<string, string | number>> = {}, cause?: unknown) {
    super(`${flaw} ${JSON.stringify(about)}`, { cause });
    this.flaw = flaw;
    this.about = about;
  }
}
export const flawed = (flaw: BackupFlaw, about?: Readonly<Record<string, string | number>>): never => {
  throw new BackupError(flaw, about);
};
