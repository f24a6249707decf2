/**
 * A change is merged into the row in the writer's transaction (RFC 7396), so two at once lose nothing. A new order
 * gives pending deliveries their order keys in the same transaction; more than 50,000 of them are refused unless the
 * gateway is starting.
 */

import type { Destination, DestinationSettings } from '../../../domain/destination.ts'
import { type DestinationChanges, type SecretRotation, withRotation } from '../../../domain/destination-changes.ts'
import { isSameRegistration, isSameUrl, type NewRegistration, type Registered } from '../../../domain/registration.ts'
import { columnsOf, destinationOfRow } from '../../rows/destination-row.ts'
import {
  changedSettings,
  configuredState,
  reasonOfPause,
  refuseRemoval,
  refuseResuming,
  refuseSameSecret,
} from '../../rules/destinations.ts'
import type { Connection } from '../database/connection.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { createDestinationTable, type DestinationTable } from './destination-table.ts'

export interface Destinations {
  /** Active and paused destinations, in memory, as of the last commit: only the writer changes them. */
  current(): readonly Destination[]
  /** After a commit or rollback of any method below. */
  reload(): void
  sync(wanted: { configured: readonly DestinationSettings[]; now: number; isStarting: boolean }): { retired: string[] }
  create(settings: DestinationSettings, now: number, owner: string | null): Destination
  register(settings: DestinationSettings, registration: NewRegistration, now: number): Registered
  /** As `Store.moveRegistration`. */
  move(id: number, url: string): Registered
  /** The owner's destination of origin `route` with this URL; created if there is none. */
  openRoute(settings: DestinationSettings, now: number, owner: string | null): Registered
  update(id: number, changes: DestinationChanges, now: number): Destination
  rotateSecret(id: number, rotation: SecretRotation): Destination
  pause(id: number, reason: string): Destination
  resume(id: number, pauseReason?: string): Destination
  remove(id: number): Destination
  /** @param openedAt null: closes the circuit */
  setCircuit(id: number, openedAt: number | null): void
}

export function createDestinations(db: Connection, orderKeys: OrderKeys): Destinations {
  const table = createDestinationTable(db, orderKeys)
  /** Only `reload` replaces it. */
  let cache: Destination[] = []
  const current = () => cache

  function reload(): void {
    cache = table.statements.current.all().map(destinationOfRow)
  }

  reload()
  return { current, reload, ...configuring(table), ...making(table, current), ...changing(table) }
}

/** Those of the configuration file. */
function configuring(table: DestinationTable): Pick<Destinations, 'sync'> {
  const { statements, insert, checkReordering, write } = table

  function upsertConfigured(settings: DestinationSettings, now: number, isStarting: boolean): void {
    const row = statements.byName.get({ name: settings.name, owner: null })
    if (row === undefined) {
      insert(settings, now, { origin: 'configuration' })
      return
    }
    statements.setState.run(configuredState(row), row.pause_reason, row.id)
    if (!isStarting) checkReordering(destinationOfRow(row), settings)
    write(row.id, destinationOfRow(row), settings, now)
  }

  return {
    sync({ configured, now, isStarting }) {
      for (const settings of configured) upsertConfigured(settings, now, isStarting)
      const names = new Set(configured.map((settings) => settings.name))
      const left = statements.configured.all().filter((row) => !names.has(row.name))
      for (const row of left) statements.setState.run('retired', row.pause_reason, row.id)
      return { retired: left.map((row) => row.name) }
    },
  }
}

type Making = 'create' | 'register' | 'move' | 'openRoute'

/** Those of the operator and of apps. */
function making(
  { statements, get, insert, checkName, checkCounts }: DestinationTable,
  current: () => readonly Destination[],
): Pick<Destinations, Making> {
  return {
    create(settings, now, owner) {
      checkName(settings.name, owner)
      checkCounts(owner)
      return get(insert(settings, now, { origin: 'operator', owner }))
    },
    register(settings, { id: registrationId, owner }, now) {
      const existing = current().find((one) => one.owner === owner && isSameRegistration(one, settings))
      if (existing !== undefined) return { destination: existing, isNew: false }
      checkName(settings.name, owner)
      checkCounts(owner)
      const id = insert(settings, now, { origin: 'registration', owner, registrationId })
      return { destination: get(id), isNew: true }
    },
    move(id, url) {
      const moved = { ...get(id), url }
      const existing = current().find((one) => one.owner === moved.owner && isSameRegistration(one, moved))
      if (existing !== undefined) return { destination: existing, isNew: false }
      statements.update.run({ ...columnsOf(moved), id })
      return { destination: get(id), isNew: true }
    },
    openRoute(settings, now, owner) {
      const existing = current().find(
        (one) => one.origin === 'route' && one.owner === owner && isSameUrl(one.url, settings.url),
      )
      if (existing !== undefined) return { destination: existing, isNew: false }
      checkName(settings.name, owner)
      checkCounts(owner)
      return { destination: get(insert(settings, now, { origin: 'route', owner })), isNew: true }
    },
  }
}

type Changing = 'update' | 'rotateSecret' | 'pause' | 'resume' | 'remove' | 'setCircuit'

function changing({
  statements,
  get,
  getChangeable,
  checkName,
  checkReordering,
  write,
}: DestinationTable): Pick<Destinations, Changing> {
  return {
    update(id, changes, now) {
      const before = getChangeable(id)
      const after = changedSettings(before, changes)
      if (after.name !== before.name) checkName(after.name, before.owner)
      checkReordering(before, after)
      write(id, before, after, now)
      return get(id)
    },
    rotateSecret(id, rotation) {
      const destination = getChangeable(id)
      refuseSameSecret(destination, rotation.secret)
      const { secrets, previousSecretUntil } = withRotation(destination, rotation)
      statements.setSecrets.run(JSON.stringify(secrets), previousSecretUntil, id)
      return get(id)
    },
    pause(id, reason) {
      statements.setState.run('paused', reasonOfPause(get(id), reason), id)
      return get(id)
    },
    resume(id, pauseReason) {
      const destination = get(id)
      if (pauseReason !== undefined && destination.pauseReason !== pauseReason) return destination
      refuseResuming(destination)
      statements.setState.run('active', null, id)
      return get(id)
    },
    remove(id) {
      const destination = get(id)
      refuseRemoval(destination)
      statements.setState.run('deleted', null, id)
      statements.removeRoutes.run(id)
      return { ...destination, state: 'deleted', pauseReason: null }
    },
    setCircuit(id, openedAt) {
      statements.setCircuit.run(openedAt, id)
    },
  }
}
