import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureBundles } from '../../deploy/quickstart/bundle.mjs';
import { root } from '../root.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the console built from the sources. */
    consoleDir: string;
  }
}

/** Builds the console once for all test files. */
export default async function buildForTests({ provide }: Pick<TestProject, 'provide'>): Promise<void> {
  provide('consoleDir', join(await ensureBundles({ root, say: () => undefined }), 'console'));
}
