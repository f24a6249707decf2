/** Builds an object with a method for each key of `table`. Each passes its name and arguments to `call`. */
export function methodsOf<Methods extends object>(
  table: Readonly<Record<keyof Methods & string, unknown>>,
  call: (method: keyof Methods & string, args: readonly unknown[]) => Promise<unknown>,
): Methods {
  const names = Object.keys(table) as (keyof Methods & string)[]
  return Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, args)])) as Methods
}
