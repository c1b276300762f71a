import type { WorkClaim } from '../../../shared/work-claims.ts';

/** A document that controllers claim from each other. */
export interface Claimable {
  _id: string;
  /** Of the controller that works at it; missing while none does. */
  claim?: WorkClaim;
}

/** Matches while the document has the claim that it was read with, be it none. */
export function claimedAs({ _id, claim }: Claimable) {
  return claim ? { _id, 'claim.token': claim.token } : { _id, claim: { $exists: false } };
}

/** Leaves out the documents with these claims. */
export function notHeld(tokens: readonly string[]) {
  return tokens.length === 0 ? {} : { 'claim.token': { $nin: tokens } };
}
