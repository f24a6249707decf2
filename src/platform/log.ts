/** One wide line for each action. Never bodies, keys, tokens, whole headers or query strings. */
export interface Log {
  debug(fields: object, event: string): void
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
  error(fields: object, event: string): void
}
