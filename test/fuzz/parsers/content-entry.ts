export { AssertionRule } from '../../../probe/checks/http/assertions.ts';
export { BodyText } from '../../../probe/checks/http/body-text.ts';
export { KeywordRule } from '../../../probe/checks/http/keywords.ts';
export { containsText, eachMatch } from '../../../probe/checks/http/literal-search.ts';
