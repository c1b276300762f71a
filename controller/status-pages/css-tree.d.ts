/** The parts of css-tree that work without its dictionary of CSS properties, which would only take memory. */
declare module 'css-tree/parser' {
  export { parse as default } from 'css-tree';
}

declare module 'css-tree/generator' {
  export { generate as default } from 'css-tree';
}
