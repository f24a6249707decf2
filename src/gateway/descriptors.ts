import { readFileSync } from 'node:fs'
import { CONTROL_CONNECTIONS } from '../api/http/listener.ts'
import type { Config } from '../config/config.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

/** What takes up file descriptors by its number of connections. */
export const CONNECTION_USERS = ['callbacks', 'charges', 'api', 'destinations'] as const
export type ConnectionUser = (typeof CONNECTION_USERS)[number]

/** How the process's file descriptors are shared out. */
export interface DescriptorPlan {
  /** RLIMIT_NOFILE; null: it cannot be read here, and nothing is lowered. */
  readonly limit: number | null
  /** Kept free for files, the database, the log, name servers and commands. */
  readonly files: number
  readonly wanted: Readonly<Record<ConnectionUser, number>>
  /** Never more than is wanted. */
  readonly allowed: Readonly<Record<ConnectionUser, number>>
}

/** A running gateway holds about 45; the rest is for backups, certificates that are read, name servers and short bursts. */
const OPEN_FILES = 128
const FILES = OPEN_FILES + CONTROL_CONNECTIONS
/**
 * 500 destinations with 8 connections each would want 4,000, and hardly ever use them. Half of these are for attempts in flight, of which
 * each destination with an open circuit has at most one, the other half for idle connections.
 */
const DESTINATION_CONNECTIONS = 2048
/** With fewer connections a gateway is of no use. */
const LEAST = 32

/** @throws PortariaError `listen_failed` where even a minimum does not fit */
export function planDescriptors(config: Config, limit: number | null): DescriptorPlan {
  const { callbacks, chargeNotifications, api } = config
  const wanted = {
    callbacks: callbacks.limits.maxConnections,
    charges: chargeNotifications === null ? 0 : callbacks.limits.maxConnections,
    api: api.limits.maxConnections,
    destinations: DESTINATION_CONNECTIONS,
  }
  const least = mapUsers((user) => Math.min(wanted[user], LEAST))
  const spare = limit === null ? Number.POSITIVE_INFINITY : limit - FILES
  if (spare < sumOf(least)) {
    throw new PortariaError(
      'listen_failed',
      `the process may open ${limit} files and connections, and needs at least ${FILES + sumOf(least)}: ${RAISE}`,
    )
  }
  const [isEnough, missing] = [spare >= sumOf(wanted), sumOf(wanted) - sumOf(least)]
  const share = isEnough ? 1 : (spare - sumOf(least)) / missing
  const allowed = mapUsers((user) => least[user] + Math.floor((wanted[user] - least[user]) * share))
  return { limit, files: FILES, wanted, allowed }
}

export const RAISE = 'raise the limit (LimitNOFILE= of the unit, ulimit -n, --ulimit nofile= of a container)'

export function isLowered({ wanted, allowed }: DescriptorPlan): boolean {
  return CONNECTION_USERS.some((user) => allowed[user] < wanted[user])
}

/** The limits that hold while the gateway runs: one line where they are lower than configured. */
export function limitListeners({ callbacks, api }: Config, plan: DescriptorPlan, log: Log) {
  if (isLowered(plan)) {
    const advice = `${RAISE}, or lower callbacks.limits.maxConnections and api.limits.maxConnections`
    log.warn({ ...plan, hint: advice }, 'limits.lowered')
  }
  const { allowed } = plan
  return {
    callbacks: lowered(callbacks.limits, allowed.callbacks),
    charges: lowered(callbacks.limits, allowed.charges),
    api: lowered(api.limits, allowed.api),
  }
}

/** An address keeps its share of them. */
function lowered<T extends { maxConnections: number; connectionsPerAddress: number }>(
  limits: T,
  maxConnections: number,
): T {
  const connectionsPerAddress = Math.ceil((limits.connectionsPerAddress * maxConnections) / limits.maxConnections)
  return { ...limits, maxConnections, connectionsPerAddress }
}

/** RLIMIT_NOFILE of this process; Node has raised it to the hard limit at its start. */
export function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined || soft === 'unlimited' ? null : Number(soft)
  } catch {
    // No /proc here.
    return null
  }
}

function mapUsers(value: (user: ConnectionUser) => number): Record<ConnectionUser, number> {
  return {
    callbacks: value('callbacks'),
    charges: value('charges'),
    api: value('api'),
    destinations: value('destinations'),
  }
}

function sumOf(numbers: Readonly<Record<ConnectionUser, number>>): number {
  return CONNECTION_USERS.reduce((sum, user) => sum + numbers[user], 0)
}
