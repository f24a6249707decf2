/** Builds an object with these methods. Each passes its name and arguments to `call`. */
export function methodsOf<Methods extends object>(
  names: readonly (keyof Methods & string)[],
  call: (method: keyof Methods & string, args: readonly unknown[]) => Promise<unknown>,
): Methods {
  return Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, args)])) as Methods
}
