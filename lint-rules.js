import { basename } from 'node:path';

/** Rules of this project's own, for oxlint.config.js. */
const ODDS_BOXES = /(^|\/)(lib|libs|utils?|helpers?|commons?|misc)(\/|\.ts$)/;
/** Words of declared names that have a plainer one; the names of wire and storage formats are exempt. */
const PRIVATE_WORDS = new Map(Object.entries({
  answer: 'response', answers: 'responses', answered: 'responded', reply: 'response', replies: 'responses',
  tell: 'notify', tells: 'notifies', told: 'notified', retold: 'notified', heard: 'received', company: 'peers',
  poke: 'notify', booked: 'accounted', stretch: 'range', whoever: 'anyone', somebody: 'someone', stray: 'unknown',
  begun: 'started', tidying: 'compaction', mailing: 'sender', trouble: 'problem', lasting: 'ongoing',
}));
const FORMAT_NAMES = new Set(['reply', 'answer', 'answers', 'begun', 'validate_answer_rrs']);
const PRIVATE_LIMIT = /^(MOST|LONGEST|LEAST|SHORTEST)_/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|bench|config))*$/;

export default {
  meta: { name: 'house' },
  rules: {
    'file-name': rule('kebab-case files, and no folder for odds and ends: name the noun it belongs to', (
      context,
    ) => ({
      Program(node) {
        const path = context.filename.slice(context.cwd.length + 1).replaceAll('\\', '/');
        const isTestHelper = path.startsWith('test/helpers/');
        const name = basename(path).replace(/^\.|(?:\.d)?\.[^.]+$/g, '');
        if (!KEBAB.test(name) || (!isTestHelper && ODDS_BOXES.test(path))) {
          context.report({ node, messageId: 'broken' });
        }
      },
    })),
    'plain-names': {
      meta: { type: 'suggestion', schema: [] },
      create: (context) => {
        const check = (node) => {
          if (node?.type !== 'Identifier' && node?.type !== 'PrivateIdentifier') return;
          if (PRIVATE_LIMIT.test(node.name)) {
            context.report({ node, message: `${node.name}: name limits MAX_… or MIN_…` });
          }
          const word = node.name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split('_')
            .find((each) => PRIVATE_WORDS.has(each));
          if (word === undefined || FORMAT_NAMES.has(node.name)) return;
          context.report({ node, message: `${node.name}: write "${PRIVATE_WORDS.get(word)}", not "${word}"` });
        };
        const checkName = (node) => check(node.id);
        const checkKey = (node) => {
          if (!node.computed) check(node.key);
        };
        const checkFunction = (node) => [node.id, ...node.params].forEach(check);
        return {
          VariableDeclarator: checkName, ClassDeclaration: checkName, TSInterfaceDeclaration: checkName,
          TSTypeAliasDeclaration: checkName, FunctionDeclaration: checkFunction,
          FunctionExpression: checkFunction, ArrowFunctionExpression: checkFunction,
          MethodDefinition: checkKey, PropertyDefinition: checkKey,
          TSPropertySignature: checkKey, TSMethodSignature: checkKey,
        };
      },
    },
    'no-such-syntax': {
      meta: { type: 'problem', schema: [{ type: 'array' }] },
      create: (context) => Object.fromEntries(context.options[0].map(
        ({ selector, message }) => [selector, (node) => context.report({ node, message })],
      )),
    },
    'todo-with-issue': rule('a TODO names its issue, as in "TODO(#12): …"', (context) => ({
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (/\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/.test(comment.value)) {
            context.report({ loc: comment.loc, messageId: 'broken' });
          }
        }
      },
    })),
    'no-banner': rule('no banner lines: a file that needs chapters is two files', (context) => ({
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (/^[\s*]*[-=*#~_─═]{6,}/m.test(comment.value)) {
            context.report({ loc: comment.loc, messageId: 'broken' });
          }
        }
      },
    })),
  },
};

function rule(message, create) {
  return { meta: { type: 'problem', messages: { broken: message }, schema: [] }, create };
}
