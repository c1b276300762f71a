import { Fields, stringOf, BsonType, documentValue, type Value } from '../bson/value.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { heldId } from '../query/hits.ts';
import { matcherOf } from '../query/matcher.ts';
import { choosePlan, type Plan } from '../query/plan.ts';
import { Scan } from '../query/scan.ts';
import { Args, typeMismatch } from './args.ts';
import type { Context, Reply } from './context.ts';
import { parseSearch, searchRows, type Search } from './find.ts';

const VERBOSITIES: ReadonlySet<string> = new Set(['queryPlanner', 'executionStats', 'allPlansExecution']);

/** The plan of a find and, where asked for, what running it costs. */
export function explain(context: Context, args: Args): Reply {
  const inner = args.document('explain');
  if (inner === undefined) throw typeMismatch('explain', 'explain', 'object');
  const verbosity = args.string('verbosity') ?? 'allPlansExecution';
  if (!VERBOSITIES.has(verbosity)) throw badValue(`verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}`);
  const find = innerFind(inner, args);
  const collection = context.catalog.get(find.ns);
  const search = parseSearch(context, find, collection);
  if (collection === undefined) return { queryPlanner: { namespace: find.ns, winningPlan: { stage: 'EOF' } } };
  const isById = search.hint === null && heldId(search.filter) !== null;
  const plan = choosePlan(collection, search.filter, search.sort, search.hint);
  const queryPlanner = { namespace: find.ns, winningPlan: describe(plan, search, isById) };
  if (verbosity === 'queryPlanner') return { queryPlanner };
  const scan = new Scan(context.storage, collection, plan, matcherOf(search.filter));
  if (plan.isSorted && search.skip > 0) scan.skip(search.skip);
  while (scan.next() !== undefined) continue;
  const rows = searchRows(context, collection, search);
  let nReturned = 0;
  while (rows.next() !== undefined) nReturned++;
  rows.pause();
  const totalKeysExamined = plan.index === null && !plan.isBounded ? 0 : scan.keysExamined;
  return { queryPlanner, executionStats: { executionSuccess: true, nReturned, totalKeysExamined, totalDocsExamined: scan.docsExamined } };
}

function innerFind(inner: Value, args: Args): Args {
  const fields = new Map<string, Value>();
  const walk = new Fields(inner);
  while (walk.advance()) fields.set(walk.name, walk.value());
  const name = fields.keys().next().value ?? '';
  if (name !== 'find') throw new MongoFailure(ErrorCode.commandNotFound, `Explain failed due to unknown command, or one not served: ${name}`);
  const db = args.value('$db');
  if (db?.type === BsonType.string && stringOf(db) !== '') fields.set('$db', db);
  return new Args({ requestId: 0, opCode: 0, name, fields, sequences: new Map(), wantsReply: true });
}

function describe(plan: Plan, search: Search, isById: boolean): Reply {
  if (isById) return { stage: 'IDHACK' };
  const scan = scanStage(plan);
  return plan.isSorted || search.sort.length === 0 ? scan : { stage: 'SORT', inputStage: scan };
}

function scanStage(plan: Plan): Reply {
  const direction = plan.reverse ? 'backward' : 'forward';
  const { index } = plan;
  if (index === null) {
    if (!plan.isBounded) return { stage: 'COLLSCAN', direction };
    return { stage: 'FETCH', inputStage: { stage: 'IXSCAN', keyPattern: { _id: 1 }, indexName: '_id_', isMultiKey: false, isUnique: true, isSparse: false, direction } };
  }
  const inputStage = {
    stage: 'IXSCAN',
    keyPattern: documentValue(index.pattern),
    indexName: index.name,
    isMultiKey: index.multikey,
    isUnique: index.unique,
    isSparse: index.sparse,
    direction,
  };
  return { stage: 'FETCH', inputStage };
}
