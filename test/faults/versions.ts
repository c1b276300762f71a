import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundle, bundleFile } from '../bundle.mjs';

const root = resolve(import.meta.dirname, '../..');
const TEXTS = { '.html': 'text', '.css': 'text', '.svg': 'text' } as const;

type Process = 'controller' | 'probe';

/** The commit that new versions must work with. */
const BASELINE = '349649b0';

/** Replaces texts in source files; each must occur exactly once. */
function rewrite(changes: Record<string, readonly [from: string, to: string]>): Plugin {
  return {
    name: 'another version',
    setup: (build) => {
      for (const [file, [from, to]] of Object.entries(changes)) {
        build.onLoad({ filter: new RegExp(`${file.replaceAll(/[./]/g, '\\$&')}$`) }, ({ path }) => {
          const [before, after, ...more] = readFileSync(path, 'utf8').split(from);
          if (after === undefined || more.length > 0) throw new Error(`not once in ${file}: ${from}`);
          return { contents: before + to + after, loader: 'ts' };
        });
      }
    },
  };
}

/** Programs that send messages of a future version; the caller removes their files. */
export const NEXT: Readonly<Record<Process, () => Promise<string>>> = {
  probe: () => next('probe', {
    'probe/beat-sender.ts': ['v: 1, sent_at', 'v: 1, mood: { of: ["the", "next"] }, sent_at'],
    'probe/assignments/synchronizer.ts': ['{ v: 1, revision', '{ v: 1, dialect: "next", revision'],
  }),
  controller: () => next('controller', {
    'controller/monitors/settings/registry.ts': [
      'return doc.is_inverted ? { ...spec, is_inverted: true } : spec;',
      `return doc.type === 'ICMP' ? { ...spec, type: 'GRPC' } : { ...spec, next: { to: 'come' } };`,
    ],
    'controller/assignments/envelope.ts': [
      "JSON.stringify(content), 'utf8'", "JSON.stringify({ ...content, next: [1] }), 'utf8'",
    ],
    'controller/results/service.ts': ['{ v: 1, watermark }', '{ v: 1, next: true, watermark }'],
  }),
};

function next(process: Process, changes: Parameters<typeof rewrite>[0]): Promise<string> {
  return bundleFile(`${process}/main.ts`, { loader: TEXTS, plugins: [rewrite(changes)] });
}

/** The baseline's program, which the caller removes; null in a clone without that commit. */
export async function baselineProgram(process: Process): Promise<string | null> {
  const sources = mkdtempSync(join(root, 'node_modules/.cache/farwatch-test/baseline-'));
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, stdio: 'pipe', maxBuffer: 2 ** 28 });
  try {
    git('cat-file', '-e', `${BASELINE}^{commit}`);
    const archive = git('archive', BASELINE, 'shared', process, 'deploy', 'package.json');
    execFileSync('tar', ['-x', '-C', sources], { input: archive });
    const outfile = `${sources}.mjs`;
    await bundle({ absWorkingDir: sources, entryPoints: [`${process}/main.ts`], outfile, loader: TEXTS });
    return outfile;
  } catch (error) {
    if (/not a valid object name|not a git repository/i.test(String(error))) return null;
    throw error;
  } finally {
    rmSync(sources, { recursive: true });
  }
}
