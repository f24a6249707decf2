import type { Destination, DestinationSelection, DestinationSettings } from '../../domain/destination.ts'
import { type DestinationChanges, type SecretRotation, withRotation } from '../../domain/destination-changes.ts'
import { isSameRegistration, isSameUrl, type NewRegistration, type Registered } from '../../domain/registration.ts'
import { columnsOf, type DestinationRow, destinationOfRow } from '../rows/destination-row.ts'
import {
  changedSettings,
  configuredState,
  knownDestination,
  orderChange,
  REORDERED_AT_ONCE,
  reasonOfPause,
  refuseConfigured,
  refuseMoreDestinations,
  refuseRemoval,
  refuseReordering,
  refuseResuming,
  refuseSameSecret,
  refuseTakenName,
} from '../rules/destinations.ts'
import type { Sql, Values } from './database/sql.ts'
import { disableOrder, enableOrder, releaseExhausted } from './deliveries/order-keys.ts'
import { configuredByOthers } from './leases.ts'
import type { Transaction } from './writing/transaction.ts'
import type { WriterParts } from './writing/writer-parts.ts'

/** Every change has the head locked, so none happens beside another one. */
interface Parts {
  readonly firstWaitMs: number
}

async function get(sql: Sql, id: number): Promise<Destination> {
  return knownDestination(id, await sql.get<DestinationRow>('select * from destinations where id = :id', { id }))
}

function findNamed(sql: Sql, name: string, owner: string | null): Promise<DestinationRow | undefined> {
  return sql.get<DestinationRow>(
    `select * from destinations
    where coalesce(owner, '') = coalesce(:owner, '') and name = :name and state in ('active', 'paused', 'retired')`,
    { name, owner },
  )
}

type Origin = Pick<Destination, 'origin'> & Partial<Pick<Destination, 'owner' | 'registrationId'>>

async function insert(sql: Sql, settings: DestinationSettings, now: number, from: Origin): Promise<Destination> {
  const row = await sql.get<DestinationRow>(
    `insert into destinations (name, origin, owner, registration_id, state, url, kinds, environments, institutions, subjects, authentication, format,
      secrets, timeout_ms, concurrency, rate, schedule, delivery_order, on_exhausted, authorities, headers, created_at)
    values (:name, :origin, :owner, :registrationId, 'active', :url, :kinds, :environments, :institutions, :subjects, :authentication, :format,
      :secrets, :timeoutMs, :concurrency, :rate, :schedule, :order, :onExhausted, :authorities, :headers, at_ms(:now)) returning *`,
    { owner: null, registrationId: null, ...columnsOf(settings), ...from, now },
  )
  return destinationOfRow(row as DestinationRow)
}

/** Of a new destination. */
async function insertChecked(sql: Sql, settings: DestinationSettings, now: number, from: Origin): Promise<Destination> {
  const { owner = null } = from
  refuseTakenName(settings.name, await findNamed(sql, settings.name, owner))
  const counts = await sql.get<{ all: number; own: number }>(
    `select count(*) as "all", count(*) filter (where owner = :owner) as own from destinations where state in ('active', 'paused')`,
    { owner },
  )
  refuseMoreDestinations(counts?.all ?? 0, owner === null ? null : (counts?.own ?? 0))
  return insert(sql, settings, now, from)
}

/** Applies a changed order to waiting deliveries. */
async function write(
  sql: Sql,
  before: Destination,
  after: DestinationSettings,
  at: { readonly now: number; readonly firstWaitMs: number },
): Promise<void> {
  const { id } = before
  await sql.run(
    `update destinations set name = :name, url = :url, kinds = :kinds, environments = :environments, institutions = :institutions, subjects = :subjects,
      authentication = :authentication, format = :format, secrets = :secrets, timeout_ms = :timeoutMs, concurrency = :concurrency, rate = :rate,
      schedule = :schedule, delivery_order = :order, on_exhausted = :onExhausted, authorities = :authorities, headers = :headers
    where id = :id`,
    { ...(columnsOf(after) as Values), id },
  )
  const change = orderChange(before, after)
  if (change === 'enable') await enableOrder(sql, id)
  else if (change === 'disable') await disableOrder(sql, id, at.firstWaitMs)
  else if (change === 'release exhausted') await releaseExhausted(sql, id, at)
}

async function checkReordering(sql: Sql, { id, name, order }: Destination, after: DestinationSettings): Promise<void> {
  if (after.order === order) return
  const more = await sql.get(
    `select 1 from deliveries where destination_id = :id and state in ('pending', 'blocked') limit 1 offset ${REORDERED_AT_ONCE}`,
    { id },
  )
  if (more !== undefined) refuseReordering(name)
}

async function setState(
  sql: Sql,
  id: number,
  state: Destination['state'],
  pauseReason: string | null,
): Promise<Destination> {
  const row = await sql.get<DestinationRow>(
    'update destinations set state = :state, pause_reason = :pauseReason, is_settled = false where id = :id returning *',
    { id, state, pauseReason },
  )
  return destinationOfRow(row as DestinationRow)
}

/** What only the file of another living node names stays: that file may be the newer one. */
export async function syncDestinations(
  parts: WriterParts,
  { sql }: Transaction,
  configured: readonly DestinationSettings[],
  now: number,
  isStarting = false,
): Promise<{ retired: string[] }> {
  for (const settings of configured) {
    const row = await findNamed(sql, settings.name, null)
    if (row === undefined) await insert(sql, settings, now, { origin: 'configuration' })
    else {
      const before = destinationOfRow(row)
      await setState(sql, row.id, configuredState(row), row.pause_reason)
      if (!isStarting) await checkReordering(sql, before, settings)
      await write(sql, before, settings, { now, firstWaitMs: parts.firstWaitMs })
    }
  }
  const names = [...configured.map(({ name }) => name), ...(await configuredByOthers(parts, sql))]
  const left = await sql.all<{ name: string }>(
    `update destinations set state = 'retired', is_settled = false
    where origin = 'configuration' and state in ('active', 'paused') and name <> all(:names::text[]) returning name`,
    { names },
  )
  return { retired: left.map(({ name }) => name) }
}

export function createDestination(
  _parts: Parts,
  { sql }: Transaction,
  settings: DestinationSettings,
  now: number,
  owner?: string,
): Promise<Destination> {
  return insertChecked(sql, settings, now, { origin: 'operator', owner: owner ?? null })
}

export async function registerDestination(
  _parts: Parts,
  { sql, ...transaction }: Transaction,
  settings: DestinationSettings,
  { id: registrationId, owner }: NewRegistration,
  now: number,
): Promise<Registered> {
  const current = await transaction.destinations()
  const existing = current.find((one) => one.owner === owner && isSameRegistration(one, settings))
  if (existing !== undefined) return { destination: existing, isNew: false }
  const destination = await insertChecked(sql, settings, now, { origin: 'registration', owner, registrationId })
  return { destination, isNew: true }
}

/** The owner's destination of origin `route` with this URL; created if there is none. */
export async function openRouteDestination(
  { sql, ...transaction }: Transaction,
  settings: DestinationSettings,
  now: number,
  owner: string | null,
): Promise<Registered> {
  const current = await transaction.destinations()
  const existing = current.find(
    (one) => one.origin === 'route' && one.owner === owner && isSameUrl(one.url, settings.url),
  )
  if (existing !== undefined) return { destination: existing, isNew: false }
  return { destination: await insertChecked(sql, settings, now, { origin: 'route', owner }), isNew: true }
}

export async function moveRegistration(
  _parts: Parts,
  { sql, ...transaction }: Transaction,
  id: number,
  url: string,
): Promise<Registered> {
  const moved = { ...(await get(sql, id)), url }
  const current = await transaction.destinations()
  const existing = current.find((one) => one.owner === moved.owner && isSameRegistration(one, moved))
  if (existing !== undefined) return { destination: existing, isNew: false }
  await sql.run('update destinations set url = :url where id = :id', { id, url })
  return { destination: await get(sql, id), isNew: true }
}

export async function updateDestination(
  { firstWaitMs }: Parts,
  { sql }: Transaction,
  id: number,
  changes: DestinationChanges,
  now: number,
): Promise<Destination> {
  const before = await get(sql, id)
  refuseConfigured(before)
  const after = changedSettings(before, changes)
  if (after.name !== before.name) refuseTakenName(after.name, await findNamed(sql, after.name, before.owner))
  await checkReordering(sql, before, after)
  await write(sql, before, after, { now, firstWaitMs })
  return get(sql, id)
}

export async function rotateSecret(
  _parts: Parts,
  { sql }: Transaction,
  id: number,
  rotation: SecretRotation,
): Promise<Destination> {
  const destination = await get(sql, id)
  refuseConfigured(destination)
  refuseSameSecret(destination, rotation.secret)
  const { secrets, previousSecretUntil } = withRotation(destination, rotation)
  await sql.run(
    'update destinations set secrets = :secrets, previous_secret_until = at_ms(:previousSecretUntil) where id = :id',
    { id, secrets: JSON.stringify(secrets), previousSecretUntil },
  )
  return get(sql, id)
}

export async function pauseDestination(
  _parts: Parts,
  { sql }: Transaction,
  id: number,
  reason: string,
): Promise<Destination> {
  return setState(sql, id, 'paused', reasonOfPause(await get(sql, id), reason))
}

export async function resumeDestination(
  _parts: Parts,
  { sql }: Transaction,
  id: number,
  pauseReason?: string,
): Promise<Destination> {
  const destination = await get(sql, id)
  if (pauseReason !== undefined && destination.pauseReason !== pauseReason) return destination
  refuseResuming(destination)
  return setState(sql, id, 'active', null)
}

export async function deleteDestination(_parts: Parts, { sql }: Transaction, id: number): Promise<Destination> {
  refuseRemoval(await get(sql, id))
  await sql.run('delete from charge_routes where destination_id = :id', { id })
  return setState(sql, id, 'deleted', null)
}

export async function setCircuit(
  _parts: Parts,
  { sql, ...transaction }: Transaction,
  id: number,
  openedAt: number | null,
): Promise<void> {
  // Another node may have taken over.
  if (!(await transaction.fences()).has(id)) return
  await sql.run('update destinations set circuit_opened_at = at_ms(:openedAt) where id = :id', { id, openedAt })
}

export async function listDestinations(sql: Sql, options: DestinationSelection = {}): Promise<Destination[]> {
  const all = async (where: string) =>
    (await sql.all<DestinationRow>(`select * from destinations ${where} order by id`)).map(destinationOfRow)
  if (options.removed === true) return all('')
  const present = await all(`where state in ('active', 'paused')`)
  if (options.leaving !== true) return present
  return [...present, ...(await all(`where state in ('retired', 'deleted') and not is_settled`))]
}
