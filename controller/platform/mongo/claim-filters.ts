import type { WorkClaim } from '../../work/work-claims.ts';

/** A document that controllers claim from each other. */
export interface Claimable {
  _id: string;
  /** Of the controller working on it; absent if none is. */
  claim?: WorkClaim;
}

/** Matches while the document has the claim that it was read with, or still has none. */
export function claimedAs({ _id, claim }: Claimable) {
  return claim ? { _id, 'claim.token': claim.token } : { _id, claim: { $exists: false } };
}

/** Excludes documents with these claims. */
export function notHeld(tokens: readonly string[]) {
  return tokens.length === 0 ? {} : { 'claim.token': { $nin: tokens } };
}
