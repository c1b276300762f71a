import type { BuildOptions } from 'esbuild';

export function bundle(options: BuildOptions): Promise<void>;
export function bundleFile(entry: string, options?: BuildOptions): Promise<string>;
export function programFile(name: 'controller' | 'probe' | 'embedded-mongo'): Promise<string>;
export function runBundled(entry: string): Promise<Record<string, unknown>>;
