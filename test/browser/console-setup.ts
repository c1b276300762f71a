import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
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
  const outdir = mkdtempSync(join(tmpdir(), 'farwatch-console-'));
  const build = pathToFileURL(join(root, 'deploy/console/build.mjs')).href;
  // In a separate process, because vitest's setup has no import.meta.resolve.
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', `
    import { buildConsole } from ${JSON.stringify(build)};
    await buildConsole(${JSON.stringify({ root, outdir })});`]);
  provide('consoleDir', outdir);
  const browser = await shareChromium();
  return async () => {
    await browser.close();
    rmSync(outdir, { recursive: true, force: true });
  };
}
