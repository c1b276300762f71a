import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureBundles } from '../../deploy/quickstart/bundle.mjs';
import { root } from '../root.mjs';
import { shareChromium } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the console built from the sources. */
    consoleDir: string;
  }
}

/** Builds the console and starts a browser, once for all test files; the returned function runs after them. */
export default async function buildForTests({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  provide('consoleDir', join(await ensureBundles({ root, say: () => undefined }), 'console'));
  const browser = await shareChromium();
  return () => browser.close();
}
