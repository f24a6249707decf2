/** English texts that the schemas have, by themselves. */
export const PORTUGUESE: Readonly<Record<string, string>> = {}
