export class ProgressReporter {
  constructor(
    progress: { begin(name: string, describe: () => string): void; end(name: string, outcome: string): void }, name: string,
  );
  readonly failed: number;
  onTestRunEnd(modules: readonly unknown[], unhandled: readonly unknown[], reason: string): void;
}
