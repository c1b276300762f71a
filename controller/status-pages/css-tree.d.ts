/** The parts of css-tree that do without its dictionary of all properties, which would only take memory. */
declare module 'css-tree/parser' {
  export { parse as default } from 'css-tree';
}

declare module 'css-tree/generator' {
  export { generate as default } from 'css-tree';
}
