import { defineConfig } from 'oxlint';

/** Each rule here says in its message what to do instead; test/unit/house shows that each one bites. */
const TESTS = ['test/**'];
/** Runs in browsers: it has a clock, timers and requests of its own, and JSX needs longer lines. */
const CONSOLE = ['controller/console/app/**'];
const PRODUCT = ['shared/**/*.ts', 'controller/**/*.ts', 'probe/**/*.ts'];

/** Put the controller together. */
const WIRING = ['controller/*.ts', 'controller/wiring/*.ts'];

/** Of oxlint's rules of correctness, those that here report only what is meant. */
const MEANT = [
  'no-base-to-string', 'no-meaningless-void-operator', 'no-misused-spread', 'no-redundant-type-constituents',
  'no-useless-default-assignment', 'require-array-sort-compare', 'restrict-template-expressions',
  'unbound-method',
];

/** Strings, templates and regular expressions may be longer. */
const WIDTH = {
  code: 110, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true,
};

const CLOCK = 'Time is injected: take a Clock (shared/time.ts).';
const SETTINGS = 'Settings are read in config.ts and passed on.';
const NO_STATE = 'No module state: what changes lives in something that is constructed.';
const NO_WORK = 'No work at import time: only main.ts may await at the top.';
const PURE = 'Rules are synchronous and pure; time and chance come in as values.';
const NO_CAN_PARSE = 'URL.canParse may say yes where new URL throws: take parsedUrl of shared/net-guard.ts.';
const LOAD_TLS = 'Node 20 breaks node:tls by this: take certificateFacts (probe/checks/tls/certificate.ts).';
const NO_CLIENT = 'HTTP leaves by controller/platform/outbound or by the probe.';
const NO_SLEEP =
  'Do not sleep: poll with test/helpers/until.ts; where nothing is to be seen, test/helpers/pass-time.ts.';

const ban = (message, ...selectors) => selectors.map((selector) => ({ selector, message }));
const named = (message, ...names) => names.map((name) => ({ name, message }));

const READS_TIME = ban(
  CLOCK,
  'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
  'NewExpression[callee.name="Date"][arguments.length=0]',
  'CallExpression[callee.name="Date"]',
  'MemberExpression[object.name=/^(globalThis|global)$/][property.name=/^set(Timeout|Interval)$/]',
);
const TIMERS = named(CLOCK, 'setTimeout', 'setInterval');
const TIMER_MODULES = named(CLOCK, 'node:timers', 'node:timers/promises', 'timers', 'timers/promises');
const FETCH = named(NO_CLIENT, 'fetch');

const MISREADS_URLS = ban(NO_CAN_PARSE, 'MemberExpression[object.name="URL"][property.name="canParse"]');
const BREAKS_TLS = ban(
  LOAD_TLS,
  'Program:not(:has(> ImportDeclaration[source.value="node:tls"][importKind="value"]))'
    + ' MemberExpression[property.name="toLegacyObject"]',
);
const READS_ENVIRONMENT = ban(
  SETTINGS,
  'MemberExpression[object.name="process"][property.name="env"]',
  'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name="env"]',
);
const PROCESS_MODULE = [{ name: 'node:process', importNames: ['env'], message: SETTINGS }];

const KEEPS_STATE = ban(
  NO_STATE, 'Program > VariableDeclaration[kind="let"]',
  'Program > ExportNamedDeclaration > VariableDeclaration[kind="let"]',
);
const AWAITS_AT_IMPORT = ban(
  NO_WORK,
  'Program > ExpressionStatement > AwaitExpression',
  'Program > VariableDeclaration > VariableDeclarator > AwaitExpression',
);

const IMPURE = ban(
  PURE,
  ':function[async=true]',
  'AwaitExpression',
  'NewExpression[callee.name="Promise"]',
  'CallExpression[callee.object.name="Math"][callee.property.name="random"]',
  'CallExpression[callee.object.name="performance"]',
  'MemberExpression[object.name="process"]',
);

const UNTRUE_TESTS = [
  ...BREAKS_TLS,
  ...ban(
    'Use the real thing, or pass a double in.',
    'CallExpression[callee.object.name="vi"][callee.property.name=/^(mock|doMock|hoisted|stubGlobal|stubEnv)$/]',
  ),
  ...ban(
    'A left-over .only hides every other test.',
    'CallExpression[callee.property.name="only"][callee.object.name=/^(test|it|describe)$/]',
  ),
  ...ban(
    NO_SLEEP, 'AwaitExpression NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
  ),
];

const TOO_EARLY = ban(
  'A page is drawn in its own time: await expect.poll(() => …).',
  'CallExpression[callee.name="expect"] AwaitExpression > CallExpression[callee.property.name='
    + '/^(all(InnerTexts|TextContents)|count|evaluate(All)?|getAttribute|inner(HTML|Text)|inputValue'
    + '|is(Checked|Disabled|Editable|Enabled|Hidden|Visible)|textContent)$/]',
  'CallExpression[callee.name="expect"] CallExpression[callee.object.name="page"][callee.property.name="url"]',
);

const MONGODB = named('MongoDB is spoken in controller/platform and in store files only.', 'mongodb');
const NATS =
  named('NATS is spoken in controller/platform, probe/link*.ts, shared/nats-connection.ts and shared/bus-credentials.ts only.', 'nats');
const MAIL = named('Mail is sent by controller/platform/mail only.', 'nodemailer', 'mailgun.js');
const SERVER_NAMES = [
  'createServer', 'Server', 'IncomingMessage', 'ServerResponse', 'IncomingHttpHeaders', 'OutgoingHttpHeaders',
  'STATUS_CODES', 'validateHeaderName', 'validateHeaderValue',
];
const HTTP_CLIENTS = [
  ...named(NO_CLIENT, 'undici', 'node:https', 'node:http2'),
  { name: 'node:http', allowImportNames: SERVER_NAMES, message: NO_CLIENT },
];

/** A later block's options replace those of an earlier one, so each kind of file gets its whole list. */
function kind(files, { syntax = [], modules = [], globals = [] }, ignores = CONSOLE) {
  return {
    files,
    excludeFiles: ignores,
    rules: {
      'house/no-such-syntax': ['error', syntax],
      'no-restricted-imports': ['error', { paths: modules }],
      'no-restricted-globals': ['error', ...globals],
    },
  };
}

const product = {
  syntax: [
    ...READS_TIME, ...MISREADS_URLS, ...BREAKS_TLS, ...READS_ENVIRONMENT, ...KEEPS_STATE, ...AWAITS_AT_IMPORT,
  ],
  modules: [...TIMER_MODULES, ...PROCESS_MODULE, ...MONGODB, ...NATS, ...MAIL, ...HTTP_CLIENTS],
  globals: [...TIMERS, ...FETCH],
};
const tests = {
  syntax: UNTRUE_TESTS, modules: named(NO_SLEEP, 'node:timers/promises', 'timers/promises'),
};
/** The product's rules less some, for the files whose work it is. */
const except = (...gone) => ({
  syntax: product.syntax.filter((entry) => !gone.includes(entry)),
  modules: product.modules.filter((entry) => !gone.includes(entry)),
  globals: product.globals.filter((entry) => !gone.includes(entry)),
});

export default defineConfig({
  ignorePatterns: ['**/node_modules/**', 'data/**', '**/dist/**', 'test/fixtures/**', '**/openapi.d.ts'],
  plugins: ['typescript'],
  jsPlugins: ['@stylistic/eslint-plugin', './lint-rules.js'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error' },
  rules: {
    ...Object.fromEntries(MEANT.map((name) => [`typescript/${name}`, 'off'])),
    'house/file-name': 'error',
    'house/todo-with-issue': 'error',
    'house/no-banner': 'error',
    'house/plain-names': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
    'no-useless-assignment': 'error',
    'no-fallthrough': 'error',
    'no-case-declarations': 'error',
    'no-empty': 'error',
    'no-prototype-builtins': 'error',
    'no-regex-spaces': 'error',
    'no-unexpected-multiline': 'error',
    'preserve-caught-error': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    eqeqeq: 'error',
    curly: ['error', 'multi-line'],
    'no-new-func': 'error',
    'no-implicit-coercion': ['error', { boolean: false }],
    'no-self-compare': 'error',
    'no-unreachable-loop': 'error',
    'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'typescript/no-misused-promises': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/ban-ts-comment': 'error',
    'typescript/no-require-imports': 'error',
    'max-lines': ['error', { max: 450, skipBlankLines: true }],
    '@stylistic/max-len': ['error', WIDTH],
    '@stylistic/quotes': ['error', 'single', { avoidEscape: true, allowTemplateLiterals: 'always' }],
    '@stylistic/semi': ['error', 'always'],
    '@stylistic/eol-last': 'error',
    '@stylistic/no-tabs': 'error',
    '@stylistic/no-trailing-spaces': 'error',
    '@stylistic/no-multiple-empty-lines': ['error', { max: 1, maxBOF: 0, maxEOF: 0 }],
  },
  overrides: [
    { files: PRODUCT, rules: { 'no-console': 'error' } },
    kind(PRODUCT, product),
    kind(['shared/time.ts'], except(...READS_TIME, ...TIMERS)),
    kind(['shared/nats-connection.ts', 'shared/bus-credentials.ts'], except(...NATS)),
    kind(['shared/http-proxy.ts'], except(...HTTP_CLIENTS)),
    kind(['controller/**/store.ts', 'controller/**/*-store.ts', ...WIRING], except(...MONGODB)),
    kind(['controller/config.ts'], except(...READS_ENVIRONMENT)),
    kind(['controller/platform/**/*.ts'], except(...MONGODB, ...NATS)),
    kind(['controller/platform/mail/*.ts'], except(...MAIL)),
    kind(['controller/platform/outbound/*.ts'], except(...HTTP_CLIENTS)),
    kind(['probe/**/*.ts'], except(...HTTP_CLIENTS)),
    kind(['probe/config.ts'], except(...READS_ENVIRONMENT)),
    kind(['probe/link*.ts'], except(...HTTP_CLIENTS, ...NATS)),
    kind(
      ['{shared,controller,probe}/**/{rules,*-rules}.ts'],
      { ...product, syntax: [...product.syntax, ...IMPURE] },
    ),
    kind(
      ['controller/main.ts', 'probe/main.ts'], except(...AWAITS_AT_IMPORT, ...READS_ENVIRONMENT, ...MONGODB),
    ),
    kind(['deploy/**/*.ts'], { syntax: KEEPS_STATE }),
    kind(['test/**/*.ts'], tests, ['test/helpers/**', 'test/bench/**']),
    kind(['test/browser/**/*.ts'], { ...tests, syntax: [...tests.syntax, ...TOO_EARLY] }),
    kind(CONSOLE, { syntax: KEEPS_STATE }, []),
    { files: CONSOLE, rules: { '@stylistic/max-len': ['error', { ...WIDTH, code: 140 }] } },
    { files: TESTS, rules: {
      'max-lines': ['error', { max: 600, skipBlankLines: true }],
      '@stylistic/max-len': ['error', { ...WIDTH, code: 130 }],
    } },
  ],
});
