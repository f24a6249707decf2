/** Pointers of a fact as pointers of its callback: into the elements of the arrays of `split`, and into an object in place of an array. */
export function pointersInFacts(split: readonly string[], pointers: readonly string[]): string[] {
  return split.flatMap((array) => pointers.flatMap((pointer) => [`${array}/*${pointer}`, `${array}${pointer}`]))
}
