import type { BuildOptions } from 'esbuild';

export const PROGRAM_OPTIONS: BuildOptions;
