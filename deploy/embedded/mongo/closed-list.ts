/** What product and test code may ask of a MongoDB, so that every compatible server can stand in for another. */

export const QUERY_OPERATORS: ReadonlySet<string> = new Set([
  '$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$not', '$regex', '$options',
]);

export const LOGICAL_OPERATORS: ReadonlySet<string> = new Set(['$and', '$or']);

export const UPDATE_OPERATORS: ReadonlySet<string> = new Set([
  '$set', '$unset', '$inc', '$min', '$max', '$setOnInsert', '$push', '$addToSet', '$pull',
]);

/** Modifiers inside an update operator's operand. `$addToSet` takes `$each` as `$push` does. */
export const ARRAY_MODIFIERS: Readonly<Record<string, ReadonlySet<string>>> = {
  $push: new Set(['$each']),
  $addToSet: new Set(['$each']),
};

export const STAGES: ReadonlySet<string> = new Set(['$match', '$sort', '$limit', '$skip', '$group', '$unwind', '$count']);

export const ACCUMULATORS: ReadonlySet<string> = new Set(['$sum']);

export const INDEX_OPTIONS: ReadonlySet<string> = new Set(['key', 'name', 'unique', 'sparse', 'v']);

/** Fields that any command may carry and that do not change its answer. */
export const ENVELOPE_FIELDS: ReadonlySet<string> = new Set([
  '$db', 'lsid', '$clusterTime', '$readPreference', 'readConcern', 'writeConcern', 'maxTimeMS', 'comment',
]);

/** Fields that belong to transactions and retried writes, which are both outside the list. */
export const TRANSACTION_FIELDS: ReadonlySet<string> = new Set(['txnNumber', 'startTransaction', 'autocommit']);

const fields = (...names: string[]): ReadonlySet<string> => new Set(names);

/** The commands, by lower-case name, with the fields each may carry besides its own name and the envelope. */
export const COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  hello: fields('helloOk', 'topologyVersion', 'maxAwaitTimeMS', 'client', 'compression', 'loadBalanced', 'saslSupportedMechs', 'speculativeAuthenticate', 'backpressure'),
  ismaster: fields('helloOk', 'topologyVersion', 'maxAwaitTimeMS', 'client', 'compression', 'loadBalanced', 'saslSupportedMechs', 'speculativeAuthenticate', 'backpressure'),
  ping: fields(),
  buildinfo: fields(),
  endsessions: fields(),
  find: fields('filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch'),
  getmore: fields('collection', 'batchSize'),
  killcursors: fields('cursors'),
  insert: fields('documents', 'ordered'),
  update: fields('updates', 'ordered'),
  delete: fields('deletes', 'ordered'),
  findandmodify: fields('query', 'update', 'remove', 'new', 'upsert', 'sort', 'fields'),
  count: fields('query', 'skip', 'limit'),
  distinct: fields('key', 'query'),
  aggregate: fields('pipeline', 'cursor'),
  createindexes: fields('indexes'),
  listindexes: fields('cursor'),
  dropindexes: fields('index'),
  listcollections: fields('filter', 'nameOnly', 'authorizedCollections', 'cursor'),
  listdatabases: fields('nameOnly', 'authorizedDatabases', 'filter'),
  create: fields(),
  drop: fields(),
  dropdatabase: fields(),
  collstats: fields('scale'),
  dbstats: fields('scale', 'freeStorage'),
  explain: fields('explain', 'verbosity'),
};

export const UPDATE_STATEMENT_FIELDS: ReadonlySet<string> = new Set(['q', 'u', 'multi', 'upsert']);
export const DELETE_STATEMENT_FIELDS: ReadonlySet<string> = new Set(['q', 'limit']);
