import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Runs a controller or probe in this process, which it ends itself. */
export async function runProcess(bundles: string, role: 'controller' | 'probe', args: readonly string[]): Promise<null> {
  const bundle = join(bundles, `${role}.mjs`);
  process.argv = [process.execPath, bundle, ...args];
  await import(pathToFileURL(bundle).href);
  return null;
}
