import type {
  Atrule, Block, CssNode, Declaration, List, MediaQueryList, Rule, Selector, SelectorList, Value,
} from 'css-tree';
import generate from 'css-tree/generator';
import parse from 'css-tree/parser';

/** The element that custom CSS is limited to. */
export const SCOPE = '.page';

/**
 * None of these properties loads anything, moves an element out of place or paints outside it, so custom CSS
 * can't leak what it sees to another host or cover the page's controls.
 */
const PROPERTIES = new Set([
  'align-items', 'background', 'background-color', 'background-image', 'border', 'border-block', 'border-bottom',
  'border-collapse', 'border-color', 'border-inline', 'border-left', 'border-radius', 'border-right', 'border-style',
  'border-top', 'border-width', 'color', 'column-gap', 'display', 'fill', 'flex', 'flex-direction', 'flex-wrap',
  'font', 'font-family', 'font-size', 'font-style', 'font-variant', 'font-weight', 'gap', 'grid-template-columns',
  'height', 'justify-content', 'letter-spacing', 'line-height', 'list-style', 'margin', 'margin-bottom',
  'margin-left', 'margin-right', 'margin-top', 'max-height', 'max-width', 'min-height', 'min-width', 'opacity',
  'padding', 'padding-bottom', 'padding-left', 'padding-right', 'padding-top', 'row-gap', 'stroke', 'text-align',
  'text-decoration', 'text-decoration-color', 'text-decoration-line', 'text-decoration-style', 'text-transform',
  'width', 'word-spacing',
  '--ground', '--card', '--text', '--line', '--accent', '--good', '--warning', '--bad', '--notice',
]);
const FUNCTIONS = new Set([
  'color', 'color-mix', 'conic-gradient', 'hsl', 'hsla', 'hwb', 'lab', 'lch', 'light-dark', 'linear-gradient',
  'minmax', 'oklab', 'oklch', 'radial-gradient', 'repeat', 'repeating-linear-gradient', 'rgb', 'rgba', 'var',
]);
const PSEUDO_CLASSES = new Set([
  'active', 'first-child', 'first-of-type', 'focus', 'focus-visible', 'focus-within', 'hover', 'is', 'last-child',
  'last-of-type', 'link', 'not', 'nth-child', 'nth-of-type', 'only-child', 'visited', 'where',
]);
const MAX_NUMBER = 1000;
const MAX_NESTING_DEPTH = 10;

/** Why custom CSS is refused: a sentence without its period. */
class Refusal extends Error {}

/**
 * Parses custom CSS and limits it to SCOPE, or says why it is refused. `body`, `html` and `:root` mean the
 * scope.
 */
export function scopeCss(text: string): { css: string } | { problem: string } {
  try {
    // Escapes could hide any word from the lists above, and no allowed word needs one.
    if (text.includes('\\')) throw new Refusal('Must not contain backslashes');
    if (depthOf(text) > MAX_NESTING_DEPTH) throw new Refusal(`Brackets must not be nested more than ${MAX_NESTING_DEPTH} deep`);
    const tree = parse(text, {
      positions: true, parseCustomProperty: true,
      onParseError: ({ message, line }) => {
        throw new Refusal(`Line ${line}: ${message}`);
      },
    });
    return { css: tree.type === 'StyleSheet' ? scopeRules(tree.children) : '' };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}

/** The parser recurses for each bracket. */
function depthOf(text: string): number {
  let [depth, maxDepth] = [0, 0];
  for (const char of text) {
    if ('({['.includes(char)) maxDepth = Math.max(maxDepth, (depth += 1));
    else if (')}]'.includes(char)) depth = Math.max(0, depth - 1);
  }
  return maxDepth;
}

function scopeRules(nodes: List<CssNode>): string {
  return nodes.toArray().map((node) => {
    if (node.type === 'Comment') return '';
    if (node.type === 'Rule') return scopeRule(node);
    if (node.type === 'Atrule' && node.name.toLowerCase() === 'media') return scopeMedia(node);
    throw refusal(node, node.type === 'Atrule' ? `@${node.name} is not allowed` : 'Only rules and @media are allowed');
  }).filter((rule) => rule !== '').join('\n');
}

function scopeMedia({ prelude, block, ...node }: Atrule): string {
  const list = prelude?.type === 'AtrulePrelude' ? prelude.children.first : null;
  if (list?.type !== 'MediaQueryList' || block === null) throw refusal(node, 'This is not a media query');
  each(list, (part) => {
    if (part.type === 'Raw' || part.type === 'Url') throw refusal(node, 'This is not a media query');
  });
  return `@media ${generate(list satisfies MediaQueryList)}{${scopeRules(block.children)}}`;
}

function scopeRule({ prelude, block }: Rule): string {
  if (prelude.type !== 'SelectorList') throw refusal(prelude, 'This is not a selector');
  return `${scopeSelectors(prelude)}{${declarations(block)}}`;
}

function scopeSelectors({ children }: SelectorList): string {
  return children.toArray().map((selector) => {
    if (selector.type !== 'Selector') throw refusal(selector, 'This is not a selector');
    each(selector, checkSelectorPart);
    return scopeSelector(selector);
  }).join(',');
}

function checkSelectorPart(part: CssNode): void {
  const isAllowedClass = part.type !== 'PseudoClassSelector' || isRoot(part) || PSEUDO_CLASSES.has(part.name.toLowerCase());
  const isPlainPart = part.type !== 'PseudoElementSelector' && part.type !== 'NestingSelector' && part.type !== 'Raw';
  if (!isAllowedClass || !isPlainPart) throw refusal(part, `${generate(part)} is not allowed in a selector`);
}

function scopeSelector(selector: Selector): string {
  const [first, second] = selector.children.toArray();
  if (first === undefined || first.type === 'Combinator') throw refusal(selector, 'A selector must start with an element');
  if (!isRoot(first)) return `${SCOPE} ${generate(selector)}`;
  // A sibling of the scope would be outside it.
  const isWithin = second === undefined || (second.type === 'Combinator' && [' ', '>'].includes(second.name));
  if (!isWithin) throw refusal(selector, 'body, html and :root can only be followed by elements inside them');
  return SCOPE + selector.children.toArray().slice(1).map((part) => generate(part)).join('');
}

function isRoot(part: CssNode): boolean {
  if (part.type === 'TypeSelector') return ['html', 'body'].includes(part.name.toLowerCase());
  return part.type === 'PseudoClassSelector' && part.name.toLowerCase() === 'root';
}

function declarations({ children }: Block): string {
  return children.toArray().map((node) => {
    if (node.type === 'Declaration') return declaration(node);
    if (node.type === 'Comment') return '';
    throw refusal(node, 'Only declarations are allowed in a rule');
  }).filter((one) => one !== '').join(';');
}

function declaration(node: Declaration): string {
  const property = node.property.toLowerCase();
  if (!PROPERTIES.has(property)) throw refusal(node, `${node.property} is not allowed`);
  const { value } = node;
  if (value.type !== 'Value') throw refusal(node, `The value of ${property} is not allowed`);
  each(value satisfies Value, (part) => checkValuePart(part, property));
  return generate(node);
}

function checkValuePart(part: CssNode, property: string): void {
  switch (part.type) {
    case 'Number': case 'Dimension': case 'Percentage': {
      const size = Number(part.value);
      if (size >= 0 && size <= MAX_NUMBER) return;
      throw refusal(part, `Numbers must be from 0 to ${MAX_NUMBER}`);
    }
    case 'Function':
      if (FUNCTIONS.has(part.name.toLowerCase())) return;
      throw refusal(part, `${part.name}() is not allowed`);
    case 'Value': case 'Identifier': case 'Hash': case 'String': case 'Operator': return;
    default: throw refusal(part, `The value of ${property} is not allowed`);
  }
}

/** Calls `visit` with a node and all of its descendants. */
function each(node: CssNode, visit: (node: CssNode) => void): void {
  visit(node);
  for (const part of Object.values(node) as unknown[]) {
    if (isNode(part)) each(part, visit);
    else if (isList(part)) part.forEach((child) => each(child, visit));
  }
}

function isNode(value: unknown): value is CssNode {
  return typeof value === 'object' && value !== null && 'type' in value && !('head' in value);
}

function isList(value: unknown): value is List<CssNode> {
  return typeof value === 'object' && value !== null && 'head' in value;
}

function refusal({ loc }: Pick<CssNode, 'loc'>, message: string): Refusal {
  return new Refusal(loc ? `Line ${loc.start.line}: ${message}` : message);
}
