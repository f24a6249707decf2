type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The members that are not undefined, such as the options that a command was given. */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>
}
