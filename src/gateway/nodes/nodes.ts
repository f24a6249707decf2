import { JOBS, type Lease, type NodeIdentity, type NodeWrites } from '../../domain/nodes/node.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { guarded } from '../../platform/background.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { oneBehind } from '../../platform/turns.ts'
import type { Closing } from '../close.ts'
import type { SharedTime } from './shared-time.ts'

export interface NodesOptions {
  readonly store: NodeWrites
  /** As it is now: a reload may change it. */
  readonly identity: () => NodeIdentity
  readonly log: Log
  /** Follows the clock of the database. */
  readonly time: SharedTime
  /** The clock of this process. */
  readonly wall?: () => number
  /** A clock in ms that is never set. */
  readonly monotonic?: () => number
  readonly timing?: NodeTiming
}

export interface NodeTiming {
  /** Between two signs of life. */
  readonly everyMs: number
  /** So long after the last renewal this node still counts on its leases. Less than the database gives them. */
  readonly validMs: number
  /** How long attempts in flight may take when a lease is given back. */
  readonly graceMs: number
}

const TIMING: NodeTiming = { everyMs: 5000, validMs: 12_000, graceMs: 10_000 }
const AGAIN_MS = 1000

/** What follows the leases. */
export interface LeaseUser {
  /** Takes up destinations whose leases this node has got. */
  refresh(): Promise<void>
  /** As in Dispatcher. */
  leave(destinationIds: readonly number[], graceMs: number): Promise<void>
  /** Attempts may begin again. */
  wake(destinationIds: readonly number[]): void
}

/** This process as one of several on one database: it shows life, and knows what it may do. */
export interface Nodes {
  /** As of the last sign of life. */
  holds(destinationId: number): boolean
  /** The leases are certainly this node's. False where the database was not reached for a while, or the process was frozen. */
  mayBegin(): boolean
  /** This node does what one node does for all, now. */
  isMine(): boolean
  /** Shows life, takes free leases, and gives back those above its share. @throws what the store does */
  signOn(): Promise<void>
  state(): { readonly leases: number; readonly living: number }
  /** Signs on at intervals from now on. */
  follow(user: LeaseUser): void
  /** Called each time that the jobs become this node's. */
  onMine(listener: () => void): void
  /** Gives up all leases. Nothing may be under way any more. */
  stop(): Promise<void>
}

/** Signs on before anything works on the store; null: this process alone uses it. @throws what the store does */
export async function joinNodes(
  { nodes: store }: Pick<Store, 'nodes'>,
  { closing, ...options }: Omit<NodesOptions, 'store'> & { readonly closing: Closing },
): Promise<Nodes | null> {
  if (store === undefined) return null
  const nodes = createNodes({ ...options, store })
  closing.defer(() => nodes.stop())
  await nodes.signOn()
  return nodes
}

/** Several processes of one name, one of which has just ended, are no mistake for so many signs of life. */
const NAMESAKES_FROM = 6

function createNamesakeLog({ identity, log }: Pick<NodesOptions, 'identity' | 'log'>) {
  let signs = 0
  return function noteNamesakes(isNameShared: boolean): void {
    signs = isNameShared ? signs + 1 : 0
    if (signs !== NAMESAKES_FROM) return
    const { name } = identity()
    log.error({ node: name, hint: 'give each node a name of its own: node.name' }, 'nodes.name_shared')
  }
}

export function createNodes(options: NodesOptions): Nodes {
  const { store, identity, log, time, wall = Date.now, monotonic = () => performance.now(), timing = TIMING } = options
  /** The fences of the leases, by destination: `takeUp` sets it. */
  let held: ReadonlyMap<number, number> = new Map()
  /** Leases that are being given back. */
  const leaving = new Set<number>()
  /** When the last successful sign of life was begun. */
  let renewedAt = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }
  let living = 1
  let user: LeaseUser | undefined
  const onMine: (() => void)[] = []
  /** The last sign of life. */
  let latest: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isFailing = false
  const noteNamesakes = createNamesakeLog(options)

  function mayBegin(): boolean {
    return Math.max(monotonic() - renewedAt.monotonic, wall() - renewedAt.wall) < timing.validMs
  }

  async function sign(): Promise<void> {
    if (isStopped) return
    const begunAt = { monotonic: monotonic(), wall: wall() }
    const wasValidBefore = mayBegin()
    const signed = await store.signOn(identity(), time.now(), wasValidBefore)
    time.follow(signed.time, begunAt.wall, wall())
    // Both times: a timer that fired in between has found that nothing may begin, and does not fire again.
    const wasValid = wasValidBefore && mayBegin()
    renewedAt = begunAt
    living = signed.living
    noteNamesakes(signed.isNameShared)
    await takeUp(
      signed.held.filter(({ destinationId }) => !leaving.has(destinationId)),
      wasValid,
    )
    if (!wasValid) user?.wake([...held.keys()])
    giveBack(signed.surplus - leaving.size)
  }

  /** A lease that this node lost and has got again is another one. */
  async function takeUp(leases: readonly Lease[], wasValid: boolean): Promise<void> {
    const before = held
    held = new Map(leases.map(({ destinationId, fence }) => [destinationId, fence]))
    const lost = [...before].flatMap(([id, fence]) => (held.get(id) === fence || leaving.has(id) ? [] : [id]))
    const taken = [...held].flatMap(([id, fence]) => (before.get(id) === fence ? [] : [id]))
    if (lost.length > 0) {
      log.warn(namesOf(lost), 'nodes.leases_lost')
      await user?.leave(lost, 0)
    }
    if (taken.length > 0) log.info(namesOf(taken), 'nodes.leases_taken')
    // Jobs end by themselves while the leases are not certain.
    if (held.has(JOBS) && (!wasValid || taken.includes(JOBS))) for (const listener of onMine) listener()
    if (taken.length === 0) return
    user?.refresh().catch(() => undefined)
  }

  /** The newest destinations first. */
  function giveBack(count: number): void {
    const ids = [...held.keys()].sort((a, b) => b - a).slice(0, Math.max(0, count))
    if (ids.length > 0) leaveAndFree(ids).catch(notSigned)
  }

  async function leaveAndFree(ids: readonly number[]): Promise<void> {
    for (const id of ids) leaving.add(id)
    held = new Map([...held].filter(([id]) => !leaving.has(id)))
    try {
      await user?.leave(ids, timing.graceMs)
      await store.freeLeases(ids)
      log.info(namesOf(ids), 'nodes.leases_given_back')
    } finally {
      for (const id of ids) leaving.delete(id)
    }
  }

  function notSigned(error: unknown): void {
    if (!isFailing && !isStopped) log.warn({ error: messageOf(error) }, 'nodes.not_signed_on')
    isFailing = true
  }

  const signNext = oneBehind(sign)
  function signOn(): Promise<void> {
    latest = signNext()
    return latest
  }

  async function signOnAtIntervals(): Promise<void> {
    await signOn().then(() => (isFailing = false), notSigned)
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(again, isFailing ? AGAIN_MS : timing.everyMs)
  }
  const again = guarded(log, 'showing life', signOnAtIntervals)

  return {
    holds: (destinationId) => held.has(destinationId),
    mayBegin,
    isMine: () => held.has(JOBS) && mayBegin(),
    signOn,
    state: () => ({ leases: held.size, living }),
    follow(follower) {
      user = follower
      again()
    },
    onMine(listener) {
      onMine.push(listener)
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await latest.catch(() => undefined)
      held = new Map()
      await store.signOff().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'nodes.not_signed_off'))
    },
  }
}

function namesOf(ids: readonly number[]) {
  const destinations = ids.filter((id) => id !== JOBS).map((id) => numberedId('dst', id))
  return { destinations, ...(ids.includes(JOBS) && { jobs: true }) }
}
