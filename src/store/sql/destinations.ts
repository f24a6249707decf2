import type { Destination, DestinationSelection, DestinationSettings } from '../../domain/destination.ts'
import { type DestinationChanges, type SecretRotation, withRotation } from '../../domain/destination-changes.ts'
import { isSameRegistration, isSameUrl, type NewRegistration, type Registered } from '../../domain/registration.ts'
import {
  changedSettings,
  configuredState,
  knownDestination,
  reasonOfPause,
  refuseConfigured,
  refuseMoreDestinations,
  refuseRemoval,
  refuseResuming,
  refuseSameSecret,
  refuseTakenName,
} from '../rules/destinations.ts'
import { type Asked, all, get, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { assigned, insertInto, selected } from './table-texts.ts'

/** They are JSON in the row. */
const LISTS = ['kinds', 'environments', 'institutions', 'subjects', 'secrets', 'schedule', 'headers'] as const
type Lists = (typeof LISTS)[number]

interface DestinationRow extends Omit<Destination, Lists | 'order' | 'rateLimit'>, Record<Lists, string | null> {
  readonly deliveryOrder: Destination['order']
  readonly rate: Destination['rateLimit']
}

const COLUMNS = selected('destinations', 'is_settled')
/** The columns that are no settings. */
const NO_SETTINGS = [
  'id',
  'origin',
  'owner',
  'registration_id',
  'state',
  'pause_reason',
  'previous_secret_until',
] as const
const SET_LATER = ['circuit_opened_at', 'is_settled'] as const

function destinationOf({ deliveryOrder: order, rate: rateLimit, ...row }: DestinationRow): Destination {
  const lists = LISTS.map((name) => [name, row[name] === null ? null : JSON.parse(row[name])])
  return { ...row, order, rateLimit, ...(Object.fromEntries(lists) as Pick<Destination, Lists>) }
}

function valuesOf({ order: deliveryOrder, rateLimit: rate, ...settings }: DestinationSettings) {
  const lists = LISTS.map((name) => [name, settings[name] === null ? null : JSON.stringify(settings[name])])
  return { ...settings, deliveryOrder, rate, ...(Object.fromEntries(lists) as Record<Lists, string | null>) }
}

function* find(id: number): Asked<Destination> {
  const row = yield* get<DestinationRow>(`select ${COLUMNS} from destinations where id = :id`, { id })
  return knownDestination(id, row && destinationOf(row))
}

function* findNamed(name: string, owner: string | null): Asked<Destination | undefined> {
  const row = yield* get<DestinationRow>(
    `select ${COLUMNS} from destinations
    where coalesce(owner, '') = coalesce(cast(:owner as text), '') and name = :name and state in ('active', 'paused', 'retired')`,
    { name, owner },
  )
  return row && destinationOf(row)
}

type Origin = Pick<Destination, 'origin'> & Partial<Pick<Destination, 'owner' | 'registrationId'>>

function* insert(d: Dialect, settings: DestinationSettings, createdAt: number, from: Origin): Asked<Destination> {
  const row = yield* one<DestinationRow>(
    `${insertInto(d, 'destinations', 'id', 'pause_reason', 'previous_secret_until', ...SET_LATER)} returning ${COLUMNS}`,
    { owner: null, registrationId: null, ...valuesOf(settings), ...from, state: 'active', createdAt },
  )
  if (d.behindNewDestination !== null) yield* run(d.behindNewDestination, { id: row.id })
  return destinationOf(row)
}

function* insertChecked(d: Dialect, settings: DestinationSettings, now: number, from: Origin): Asked<Destination> {
  const { owner = null } = from
  refuseTakenName(settings.name, yield* findNamed(settings.name, owner))
  const counts = yield* one<{ total: number; own: number }>(
    `select count(*) as total, count(*) filter (where owner = :owner) as own from destinations where state in ('active', 'paused')`,
    { owner },
  )
  refuseMoreDestinations(counts.total, owner === null ? null : counts.own)
  return yield* insert(d, settings, now, from)
}

function* setState(
  d: Dialect,
  id: number,
  state: Destination['state'],
  pauseReason: string | null,
): Asked<Destination> {
  const row = yield* one<DestinationRow>(
    `update destinations set state = :state, pause_reason = :pauseReason, ${d.unsettled} where id = :id returning ${COLUMNS}`,
    { id, state, pauseReason },
  )
  return destinationOf(row)
}

/** New settings. The store then applies a changed order to the deliveries that wait. */
export interface Rewritten {
  readonly before: Destination
  readonly after: DestinationSettings
}

function* write(d: Dialect, before: Destination, after: DestinationSettings): Asked<Rewritten> {
  const set = assigned(d, 'destinations', ...NO_SETTINGS, 'created_at', ...SET_LATER)
  yield* run(`update destinations set ${set} where id = :id`, { ...valuesOf(after), id: before.id })
  return { before, after }
}

/** @param others names in the files of other nodes: what only such a file names stays, it may be the newer one */
export function* syncDestinations(
  d: Dialect,
  configured: readonly DestinationSettings[],
  now: number,
  others: readonly string[] = [],
): Asked<{ retired: string[]; rewritten: Rewritten[] }> {
  const rewritten: Rewritten[] = []
  for (const settings of configured) {
    const known = yield* findNamed(settings.name, null)
    if (known === undefined) yield* insert(d, settings, now, { origin: 'configuration' })
    else {
      yield* setState(d, known.id, configuredState(known), known.pauseReason)
      rewritten.push(yield* write(d, known, settings))
    }
  }
  const left = yield* all<{ name: string }>(
    `update destinations set state = 'retired', ${d.unsettled} where origin = 'configuration' and state in ('active', 'paused')
      and name not in (select value from ${d.texts(':names')} as kept) returning name`,
    { names: [...configured.map(({ name }) => name), ...others] },
  )
  return { retired: left.map(({ name }) => name), rewritten }
}

export function createDestination(
  d: Dialect,
  settings: DestinationSettings,
  now: number,
  owner?: string,
): Asked<Destination> {
  return insertChecked(d, settings, now, { origin: 'operator', owner: owner ?? null })
}

/** @param current active and paused destinations */
export function* registerDestination(
  d: Dialect,
  current: readonly Destination[],
  settings: DestinationSettings,
  { id: registrationId, owner }: NewRegistration,
  now: number,
): Asked<Registered> {
  const existing = current.find((known) => known.owner === owner && isSameRegistration(known, settings))
  if (existing !== undefined) return { destination: existing, isNew: false }
  const from = { origin: 'registration', owner, registrationId } as const
  return { destination: yield* insertChecked(d, settings, now, from), isNew: true }
}

/** The owner's destination of origin `route` with this URL; created if there is none. */
export function* openRouteDestination(
  d: Dialect,
  current: readonly Destination[],
  settings: DestinationSettings,
  now: number,
  owner: string | null,
): Asked<Registered> {
  const existing = current.find(
    (known) => known.origin === 'route' && known.owner === owner && isSameUrl(known.url, settings.url),
  )
  if (existing !== undefined) return { destination: existing, isNew: false }
  return { destination: yield* insertChecked(d, settings, now, { origin: 'route', owner }), isNew: true }
}

export function* moveRegistration(
  _: Dialect,
  current: readonly Destination[],
  id: number,
  url: string,
): Asked<Registered> {
  const moved = { ...(yield* find(id)), url }
  const existing = current.find((known) => known.owner === moved.owner && isSameRegistration(known, moved))
  if (existing !== undefined) return { destination: existing, isNew: false }
  yield* run('update destinations set url = :url where id = :id', { id, url })
  return { destination: moved, isNew: true }
}

export function* updateDestination(d: Dialect, id: number, changes: DestinationChanges): Asked<Rewritten> {
  const before = yield* find(id)
  refuseConfigured(before)
  const after = changedSettings(before, changes)
  if (after.name !== before.name) refuseTakenName(after.name, yield* findNamed(after.name, before.owner))
  return yield* write(d, before, after)
}

export function* rotateSecret(d: Dialect, id: number, rotation: SecretRotation): Asked<Destination> {
  const destination = yield* find(id)
  refuseConfigured(destination)
  refuseSameSecret(destination, rotation.secret)
  const { secrets, previousSecretUntil } = withRotation(destination, rotation)
  yield* run(
    `update destinations set secrets = :secrets, previous_secret_until = ${d.time(':previousSecretUntil')} where id = :id`,
    { id, secrets: JSON.stringify(secrets), previousSecretUntil },
  )
  return yield* find(id)
}

export function* pauseDestination(d: Dialect, id: number, reason: string): Asked<Destination> {
  return yield* setState(d, id, 'paused', reasonOfPause(yield* find(id), reason))
}

export function* resumeDestination(d: Dialect, id: number, pauseReason?: string): Asked<Destination> {
  const destination = yield* find(id)
  if (pauseReason !== undefined && destination.pauseReason !== pauseReason) return destination
  refuseResuming(destination)
  return yield* setState(d, id, 'active', null)
}

export function* deleteDestination(d: Dialect, id: number): Asked<Destination> {
  refuseRemoval(yield* find(id))
  yield* run('delete from charge_routes where destination_id = :id', { id })
  return yield* setState(d, id, 'deleted', null)
}

/** @param openedAt null: closes the circuit */
export function* setCircuit({ time }: Dialect, id: number, openedAt: number | null): Asked<void> {
  yield* run(`update destinations set circuit_opened_at = ${time(':openedAt')} where id = :id`, { id, openedAt })
}

export function* listDestinations(d: Dialect, options: DestinationSelection = {}): Asked<Destination[]> {
  if (options.removed === true) return yield* listWhere('true')
  const present = yield* listWhere(`state in ('active', 'paused')`)
  if (options.leaving !== true) return present
  return [...present, ...(yield* listWhere(`state in ('retired', 'deleted') and ${d.isUnsettled}`))]
}

function* listWhere(condition: string): Asked<Destination[]> {
  const rows = yield* all<DestinationRow>(`select ${COLUMNS} from destinations where ${condition} order by id`)
  return rows.map(destinationOf)
}
