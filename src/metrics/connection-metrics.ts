import type { Exposition } from './exposition.ts'

export interface ListenerConnections {
  readonly listener: string
  readonly open: number
  readonly limit: number
}

export function exposeConnections(exposition: Exposition, read: () => readonly ListenerConnections[]): void {
  exposition.gauge(
    { name: 'portaria_connections', help: 'Open connections, including handshakes.' },
    ['listener'],
    (emit) => {
      for (const { listener, open } of read()) emit({ listener }, open)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_connections_limit',
      help: 'Limit of open connections: limits.maxConnections, or less where the limit of open files is lower.',
    },
    ['listener'],
    (emit) => {
      for (const { listener, limit } of read()) emit({ listener }, limit)
    },
  )
}
