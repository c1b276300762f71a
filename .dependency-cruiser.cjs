/**
 * Which way imports may point. `npm run boundaries` checks it, and test/unit/house shows that each rule
 * bites. Type imports count: a file that names a type of another folder depends on that folder.
 */
const STORE = '[/-]store\\.ts$';
const RULES = '[/-]rules\\.ts$';
const VERBS = '^controller/.*/verbs(/|\\.ts$)';
const ROUTES = '^controller/.*[/-]routes[./]';
/** Constructs everything, and so may import everything. */
const WIRING = '^(controller|probe)/wiring/';

/**
 * The stages of a result, top floor first. Each may import only the floors below it, so a result passes each
 * stage once.
 */
const STAGES = [
  ['reading', 'feeds'], ['shards'], ['clock', 'intake'], ['writing', 'dead-letters'], ['state'], ['hours'],
  ['journal'],
];
const stages = STAGES.flatMap((floor, index) => floor.map((stage) => {
  const above = [...STAGES.slice(0, index).flat(), ...floor.filter((other) => other !== stage)];
  return {
    name: `results-${stage}-looks-down`,
    comment: 'A result passes the stages of controller/results in one direction.',
    severity: 'error',
    from: { path: `^controller/results/${stage}/` },
    to: { path: [`^controller/results/(${above.join('|')})/`, '^controller/results/[^/]+\\.ts$'] },
  };
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Two files that need each other are one file, or have a part that belongs in a third. Types may name each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-folder-cycle',
      comment: 'Folders have an order, types included: what two of them need belongs in a lower one. A folder and its own folders may need each other.',
      severity: 'error',
      scope: 'folder',
      from: { pathNot: '^test(/|$)' },
      to: { circular: true },
    },
    {
      name: 'imports-resolve',
      comment: 'Every import exists, and every package is declared in package.json. A new clone lacks what is generated.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '/openapi\\.d\\.ts$' },
    },
    {
      name: 'shared-stands-alone',
      comment: 'shared imports nothing of ours.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(controller|probe|deploy|test)/' },
    },
    {
      name: 'actors-behind-references',
      comment: 'Only the runtime holds a run of an actor; all others have an ActorRef from its supervisor.',
      severity: 'error',
      from: { path: '^(shared|controller|probe)/', pathNot: '^shared/actor/' },
      to: { path: '^shared/actor/', pathNot: '^shared/actor/(actor-ref|supervisor)\\.ts$' },
    },
    {
      name: 'shared-with-probe',
      comment: 'What only the controller uses is in the controller.',
      severity: 'error',
      from: { path: '^(probe|deploy|shared)/' },
      module: { path: '^shared/', numberOfDependentsLessThan: 1 },
    },
    {
      name: 'shared-with-controller',
      comment: 'What only the probe uses is in the probe.',
      severity: 'error',
      from: { path: '^(controller|deploy|shared)/' },
      module: { path: '^shared/', numberOfDependentsLessThan: 1 },
    },
    {
      name: 'controller-and-probe-apart',
      comment: 'They meet on the bus, through shared/contracts, and nowhere else.',
      severity: 'error',
      from: { path: '^(controller|probe)/' },
      to: { path: '^(controller|probe)/', pathNot: '^$1/' },
    },
    {
      name: 'nothing-needs-deploy',
      comment: 'The product gets the URLs of a database and a bus, whoever started them.',
      severity: 'error',
      from: { pathNot: '^(deploy|test)/' },
      to: { path: '^deploy/' },
    },
    {
      name: 'deploy-needs-settings-only',
      comment: 'deploy starts processes and knows only their settings.',
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
      comment: 'main.ts, controller.ts, probe.ts and wiring construct everything; a room that imports them can be constructed in one way only.',
      severity: 'error',
      from: { path: ['^controller/[^/]+/', '^probe/[^/]+/', '^shared/'], pathNot: WIRING },
      to: { path: ['^controller/[^/]+\\.ts$', WIRING, '^probe/(main|probe)\\.ts$'] },
    },
    ...stages,
    {
      name: 'verdicts-stand-alone',
      comment: 'The state machine of a monitor knows values only. Results and incidents import it, never the other way.',
      severity: 'error',
      from: { path: '^controller/verdicts/' },
      to: { path: '^(controller|probe|deploy|test)/|node_modules/', pathNot: '^controller/verdicts/' },
    },
    {
      name: 'results-and-incidents-apart',
      comment: 'Both follow from verdicts; neither knows the other.',
      severity: 'error',
      from: { path: '^controller/(results|incidents)/' },
      to: { path: '^controller/(results|incidents)/', pathNot: '^controller/$1/' },
    },
    {
      name: 'rules-know-rules-only',
      comment: 'Rules decide on values: they import rules, types and shared, and nothing that reads or writes.',
      severity: 'error',
      from: { path: RULES },
      to: {
        path: [STORE, VERBS, ROUTES, '^controller/(platform|http)/', '^probe/(config|link|runner|spool)'],
      },
    },
    {
      name: 'rules-need-no-system',
      comment: 'Rules use no files, sockets or drivers. Hashing and packing are arithmetic.',
      severity: 'error',
      from: { path: RULES },
      to: { dependencyTypes: ['core', 'npm'], pathNot: '^(node:)?(crypto|zlib|buffer)$|node_modules/zod/' },
    },
    {
      name: 'verbs-know-no-edge',
      comment: 'Routes call a use case; it knows neither them nor Koa.',
      severity: 'error',
      from: { path: VERBS },
      to: { path: [ROUTES, 'node_modules/(koa|@koa)/'] },
    },
    {
      name: 'stores-know-documents-only',
      comment: 'A store reads and writes one collection and decides nothing.',
      severity: 'error',
      from: { path: STORE },
      to: { path: [VERBS, ROUTES, '^controller/http/'] },
    },
    {
      name: 'routes-use-verbs',
      comment: 'A route parses, calls one verb and shows the answer; the store is behind the verb.',
      severity: 'error',
      from: { path: ROUTES },
      to: { path: STORE },
    },
    {
      name: 'own-store-only',
      comment: 'No room touches another room\'s collection: it calls that room\'s verbs, or declares a port.',
      severity: 'error',
      from: { path: '^controller/([^/]+)/', pathNot: ['^controller/platform/', WIRING] },
      to: { path: '^controller/.*[/-]store\\.ts$', pathNot: '^controller/$1/' },
    },
    {
      name: 'platform-behind-ports',
      comment: 'Adapters are constructed in the wiring; a room knows their ports. A store uses the driver; the excepted files compute.',
      severity: 'error',
      from: { path: '^controller/[^/]+/', pathNot: ['^controller/platform/', STORE, WIRING] },
      to: { path: '^controller/platform/', pathNot: '(-port|-errors|/nkeys|/retry-on-conflict)\\.ts$' },
    },
    {
      name: 'platform-knows-no-domain-rules',
      comment: 'An adapter implements a port and decides nothing.',
      severity: 'error',
      from: { path: '^controller/platform/' },
      to: { path: [STORE, VERBS, ROUTES, '^controller/http/'], pathNot: '^controller/platform/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(data|dist)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'], exportsFields: ['exports'],
    },
    skipAnalysisNotInRules: true,
    cache: false,
  },
};
