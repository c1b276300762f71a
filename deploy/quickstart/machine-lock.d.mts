export interface MachineLock {
  release(): Promise<void>;
}
export function takeMachineLock(name: string): Promise<MachineLock | null>;
export function withMachineLock<T>(name: string, work: () => Promise<T>): Promise<T>;
