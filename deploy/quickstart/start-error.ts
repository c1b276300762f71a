/** Why this installation cannot start, in words for the person who started it. No stack is shown for it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
