import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const KEPT = ['name', 'version', 'description', 'license', 'private', 'type', 'engines'];

/** The package.json of the package: everything else that the product needs is in its bundles. */
function packedManifest(root) {
  const manifest = readJson(join(root, 'package.json'));
  const { packages } = readJson(join(root, 'package-lock.json'));
  const native = Object.keys(manifest.optionalDependencies);
  return {
    ...Object.fromEntries(KEPT.map((name) => [name, manifest[name]])),
    bin: { farwatch: 'dist/farwatch.mjs' },
    files: ['dist', 'deploy/systemd', 'deploy/grafana', 'deploy/prometheus/rules.yaml', 'CHANGELOG.md'],
    // Those that were tested.
    optionalDependencies: Object.fromEntries(native.map((name) => [name, packages[`node_modules/${name}`].version])),
  };
}

/** `npm pack` packs the package.json that it finds, so the package's stands in for ours until it has. */
export function swapManifest(root) {
  const packed = packedManifest(root);
  mkdirSync(dirname(ownCopy(root)), { recursive: true });
  write(ownCopy(root), readFileSync(join(root, 'package.json'), 'utf8'));
  write(join(root, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
}

export function restoreManifest(root) {
  if (!existsSync(ownCopy(root))) return;
  write(join(root, 'package.json'), readFileSync(ownCopy(root), 'utf8'));
  rmSync(ownCopy(root));
}

function ownCopy(root) {
  return join(root, 'node_modules/.cache/farwatch-package.json');
}

/** At no moment is the file incomplete. */
function write(path, text) {
  writeFileSync(`${path}.draft`, text);
  renameSync(`${path}.draft`, path);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
