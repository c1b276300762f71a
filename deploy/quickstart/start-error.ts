/** Why this installation can't start, worded for the user. Shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** 2 if somebody must change something first, so that starting again is no use. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
