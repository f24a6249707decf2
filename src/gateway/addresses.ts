export interface Address {
  readonly host: string
  readonly port: number
}

export type AnyListener = 'callbacks' | 'charges' | 'api'

/** File descriptors of sockets that the service manager opened. Each replaces the host and port of its listener. */
export type PassedSockets = Readonly<Partial<Record<AnyListener, number>>>

export function addressOf({ host, port }: Address): Address {
  return { host, port }
}
