import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { worldMap } from './world.mjs';

const APP = 'controller/console/app';
const TYPES = {
  '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
};

/**
 * Builds the console into `outdir`: page, scripts and styles, each also compressed, and `files.json`, which
 * lists them as `{ name: { type, tag, bytes: { identity, gzip, br } } }`. Names contain a content hash.
 */
export async function buildConsole({ root, outdir }) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: `${APP}/main.tsx` },
    outdir,
    entryNames: '[name]-[hash]', chunkNames: 'part-[hash]', assetNames: '[name]-[hash]',
    bundle: true, splitting: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022',
    jsx: 'automatic', jsxImportSource: 'preact',
    define: {
      WORLD: JSON.stringify(await worldMap()),
      MONITOR_RULES: JSON.stringify((await bundled(root, 'monitor-rules')).monitorRules()),
      DESTINATION_FORMS: JSON.stringify((await bundled(root, 'destination-forms')).destinationForms()),
    },
    charset: 'utf8', legalComments: 'none', metafile: true, logLevel: 'error',
  });
  const outputs = Object.entries(metafile.outputs)
    .map(([path, output]) => ({ name: basename(path), ...output }));
  const main = outputs.find(({ entryPoint }) => entryPoint === `${APP}/main.tsx`);
  const entryScripts = [main.name, ...main.imports.filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => basename(path))];
  const page = pageOf({ scripts: entryScripts, style: basename(main.cssBundle) });
  await copyFile(join(root, APP, 'icon.svg'), join(outdir, 'icon.svg'));
  await writeFile(join(outdir, 'index.html'), page);
  const names = outputs.map(({ name }) => name);
  const all = [...names, 'icon.svg', 'index.html'];
  const files = await Promise.all(all.map(async (name) => [name, await compress(outdir, name)]));
  await writeFile(join(outdir, 'files.json'), JSON.stringify(Object.fromEntries(files)));
}

/** The page of every view. Preloads the scripts that the first one imports. */
function pageOf({ scripts: [main, ...parts], style }) {
  const at = (name) => `/console/assets/${name}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>Farwatch</title>
<link rel="icon" href="/console/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${at(style)}">
${parts.map((name) => `<link rel="modulepreload" href="${at(name)}">\n`).join('')}<script type="module" src="${at(main)}"></script>
</head><body><div id="app"><p class="boot">Farwatch</p></div>
<noscript><p class="boot">The console needs JavaScript. Status pages and the API work without it.</p></noscript>
</body></html>
`;
}

/** Writes the compressed variants of a file and returns its entry for `files.json`. */
async function compress(outdir, name) {
  const path = join(outdir, name);
  const body = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  const [gz, br] = await Promise.all([
    promisify(gzip)(body, { level: 9 }), promisify(brotliCompress)(body, { params }),
  ]);
  await Promise.all([writeFile(`${path}.gz`, gz), writeFile(`${path}.br`, br)]);
  const type = TYPES[name.slice(name.lastIndexOf('.'))] ?? 'text/html; charset=utf-8';
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { type, tag, bytes: { identity: body.length, gzip: gz.length, br: br.length } };
}

/** A file of the console's server part, from the current sources: it knows the fields of the API. */
async function bundled(root, name) {
  const { outputFiles: [{ text }] } = await build({
    absWorkingDir: root, entryPoints: [`controller/console/${name}.ts`], write: false,
    bundle: true, format: 'esm', platform: 'node', logLevel: 'error',
  });
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}
