import type { AccessReach } from '#contract/access.ts';
import { type Letter, letters, lettersOf, ofLetter, type Permission } from '#contract/permissions.ts';
import type { Account } from '#server/core/account.ts';
import { holds, mayCall, type Scope } from '#server/core/scope.ts';

export interface Place {
  readonly projectId: number | null;
  readonly partId: number | null;
}
export interface Facts {
  /** Null: the account or its role is disabled. */
  readonly account: Account | null;
  /** All of them are needed. */
  readonly permissions: readonly Permission[];
  readonly place: Place;
}

/** The checks that serve() and the stores make for a call, in their order: account, permission, scope. */
export const verdictOf = ({ account, permissions, place }: Facts) => {
  const isAccount = account !== null;
  const isPermitted = isAccount && permissions.every((permission) => mayCall(account, permission));
  const isInScope = isAccount && holds(account.scope, place.projectId, place.partId);
  return {
    account: isAccount,
    permission: isPermitted,
    scope: isInScope,
    allowed: isAccount && isPermitted && isInScope,
  };
};

/** How a scope reaches a project or part; `byRegion`: no project is set on the account. */
export const reachOf = (scope: Scope, { projectId, partId }: Place, byRegion: boolean): AccessReach => {
  if (scope.all) return 'everything';
  if (!holds(scope, projectId, partId)) return 'none';
  if (projectId !== null && scope.projectIds.includes(projectId)) return byRegion ? 'region' : 'project';
  return 'part';
};

export const lettersGranting = (permission: Permission): Letter[] =>
  letters.filter((letter) => ofLetter[letter].includes(permission));
export const lettersBy = (role: number, held: string, permission: Permission): Letter[] => {
  const own = lettersOf(role, held);
  return lettersGranting(permission).filter((letter) => own.includes(letter));
};
