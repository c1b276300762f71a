/** Messages in 60 languages, which nobody sees, would be a fifth of a probe. */
const withoutZodLocales = {
  name: 'without-zod-locales',
  setup: ({ onLoad }) => onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {};' })),
};

/**
 * Options of esbuild for a program of ours. Packages are part of the bundle: Node.js takes twice as long
 * to load them file by file.
 */
export const PROGRAM_OPTIONS = {
  bundle: true,
  plugins: [withoutZodLocales],
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Native addons can't be bundled.
  external: ['lmdb', 'raw-socket'],
  // CommonJS packages require Node's own modules.
  banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" },
  sourcemap: true,
  sourcesContent: false,
  // Node stores a module's text with two bytes per character unless all are ASCII.
  charset: 'ascii',
  logLevel: 'error',
};
