/**
 * Which way imports may point. `npm run boundaries` checks it; test/unit/house shows that each rule bites.
 * Type imports count: who names a type of another part depends on it.
 */
const STORE = '[/-]store\\.ts$';
const RULES = '[/-]rules\\.ts$';
const VERBS = '^controller/.*[/-]verbs[./]';
const ROUTES = '^controller/.*[/-]routes[./]';
/** Puts the parts together, and so knows what it constructs. */
const WIRING = '^controller/wiring/';
const ACTOR = '^controller/.*[/-]actor[./]';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Two files that run each other are one file, or a part that belongs in a third. Two types may name each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'imports-resolve',
      comment: 'What is imported is there, and declared in package.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'shared-stands-alone',
      comment: 'shared imports nothing of ours.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(controller|probe|deploy|test)/' },
    },
    {
      name: 'controller-and-probe-apart',
      comment: 'They meet on the bus, by shared/contracts, and nowhere else.',
      severity: 'error',
      from: { path: '^(controller|probe)/' },
      to: { path: '^(controller|probe)/', pathNot: '^$1/' },
    },
    {
      name: 'nothing-needs-deploy',
      comment: 'The product has a URL of a database and of a bus, whoever started them.',
      severity: 'error',
      from: { pathNot: '^(deploy|test)/' },
      to: { path: '^deploy/' },
    },
    {
      name: 'deploy-needs-settings-only',
      comment: 'deploy starts processes; of their code it knows the settings.',
      severity: 'error',
      from: { path: '^deploy/' },
      to: { path: '^(controller|probe)/', pathNot: '^(controller|probe)/config\\.ts$' },
    },
    {
      name: 'nothing-needs-test',
      comment: 'Tests depend on the product, never the other way.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'nothing-needs-main',
      comment: 'main.ts, controller.ts and parts put everything together; a domain that imports them cannot be put together otherwise.',
      severity: 'error',
      from: { path: ['^controller/[^/]+/', '^probe/[^/]+/', '^shared/'], pathNot: WIRING },
      to: { path: ['^controller/[^/]+\\.ts$', WIRING, '^probe/main\\.ts$'] },
    },
    {
      name: 'rules-know-rules-only',
      comment: 'Rules decide on values: they import rules, types and shared, and never what reads or writes.',
      severity: 'error',
      from: { path: RULES },
      to: { path: [STORE, VERBS, ROUTES, ACTOR, '^controller/(platform|http)/', '/(senders|views)/', '^probe/(config|link|runner|spool)'] },
    },
    {
      name: 'rules-need-no-system',
      comment: 'Rules neither read files, nor sockets, nor drivers. Hashing and packing are arithmetic.',
      severity: 'error',
      from: { path: RULES },
      to: { dependencyTypes: ['core', 'npm'], pathNot: '^(node:)?(crypto|zlib|buffer)$|node_modules/zod/' },
    },
    {
      name: 'verbs-know-no-edge',
      comment: 'A use case is called by routes and actors and knows neither them nor Koa.',
      severity: 'error',
      from: { path: VERBS },
      to: { path: [ROUTES, ACTOR, 'node_modules/(koa|@koa)/'] },
    },
    {
      name: 'stores-know-documents-only',
      comment: 'A store reads and writes one collection; deciding is somebody else\'s.',
      severity: 'error',
      from: { path: STORE },
      to: { path: [VERBS, ROUTES, ACTOR, '^controller/http/'] },
    },
    {
      name: 'routes-use-verbs',
      comment: 'A route parses, calls one verb and shows the answer: the store and the platform are behind the verb.',
      severity: 'error',
      from: { path: ROUTES },
      to: { path: STORE },
    },
    {
      name: 'own-store-only',
      comment: 'No domain reaches into another one\'s collection: it calls that domain\'s verbs, or declares a port.',
      severity: 'error',
      from: { path: '^controller/([^/]+)/', pathNot: ['^controller/platform/', WIRING] },
      to: { path: '^controller/.*[/-]store\\.ts$', pathNot: '^controller/$1/' },
    },
    {
      name: 'platform-behind-ports',
      comment: 'Adapters are constructed in main.ts; a domain knows their ports. A store speaks the driver, and nkeys is arithmetic.',
      severity: 'error',
      from: { path: '^controller/[^/]+/', pathNot: ['^controller/platform/', STORE, WIRING] },
      to: { path: '^controller/platform/', pathNot: '(-port|-errors|/nkeys)\\.ts$' },
    },
    {
      name: 'platform-knows-no-domain-rules',
      comment: 'An adapter implements a port; it decides nothing of the domain.',
      severity: 'error',
      from: { path: '^controller/platform/' },
      to: { path: [STORE, VERBS, ROUTES, ACTOR, '^controller/http/'], pathNot: '^controller/platform/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(data|dist)/' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'], conditionNames: ['import', 'node', 'default', 'types'], exportsFields: ['exports'] },
    skipAnalysisNotInRules: true,
    cache: false,
  },
};
