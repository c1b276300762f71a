import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

/** Every package that the product contains or needs, as `{ name, version, license, text }`, by name. */
export function licensesOf(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    // Packages for other platforms are not installed.
    .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path)))
    .map(([path, { version, license }]) => {
      const files = readdirSync(join(root, path)).filter((name) => LICENSE_FILE.test(name)).sort();
      const text = files.map((name) => readFileSync(join(root, path, name), 'utf8').trim()).join('\n\n');
      return { name: path.slice(path.lastIndexOf('node_modules/') + 13), version, license: license ?? 'unknown', text };
    })
    .sort((one, other) => one.name.localeCompare(other.name) || one.version.localeCompare(other.version));
}

/** The licenses of all packages with their texts, as the package must contain them. */
export function licenseTexts(root) {
  const parts = licensesOf(root).map(({ name, version, license, text }) =>
    `${name} ${version}\nLicense: ${license}\n${text === '' ? '' : `\n${text}\n`}`);
  return `Farwatch contains or needs these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
