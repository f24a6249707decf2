/** As curl and most programs read them. */
const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']

/** The variable of the environment that names a proxy, without its value, which may have a password; null: none is set. Portaria uses no proxy. */
export function proxyVariable(environment: Readonly<Record<string, string | undefined>> = process.env): string | null {
  return VARIABLES.find((name) => (environment[name] ?? '') !== '') ?? null
}

/** For the text of a connection that failed to another machine; empty where no variable is set. */
export function proxyNote(): string {
  const proxy = proxyVariable()
  return proxy === null ? '' : `; ${proxy} is set, but no proxy of the environment is used: connect without it`
}
