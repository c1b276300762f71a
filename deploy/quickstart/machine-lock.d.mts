export interface MachineLock {
  release(): Promise<void>;
}
export function takeMachineLock(purpose: string, dir: string): Promise<MachineLock | null>;
export function takeNetworkLock(key: string): Promise<MachineLock | null>;
export function withMachineLock<T>(purpose: string, dir: string, work: () => Promise<T>): Promise<T>;
