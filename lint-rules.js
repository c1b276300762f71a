import { basename } from 'node:path';

/** Rules of this project's own, for oxlint.config.js. */
const ODDS_BOXES = /(^|\/)(lib|libs|utils?|helpers?|commons?|misc)(\/|\.ts$)/;
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
