/** SQL conditions for the members of a filter that are given. The value of a condition has the name of its member. */
export function conditionsFor<Filter extends object>(
  filter: Filter,
  known: readonly (readonly [keyof Filter & string, string])[],
): { readonly conditions: readonly string[]; readonly values: Readonly<Record<string, unknown>> } {
  const given = known.filter(([name]) => filter[name] !== undefined)
  return {
    conditions: given.map(([, condition]) => condition),
    values: Object.fromEntries(given.map(([name]) => [name, filter[name]])),
  }
}
