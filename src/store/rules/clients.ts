import { CLIENT_LIMIT } from '../../domain/client.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { ClientRow } from '../rows/client-row.ts'

/** @throws PortariaError `conflict` @param named a client with this name that is not revoked @param count of those */
export function refuseClient(name: string, named: unknown, count: number): void {
  if (named !== undefined)
    throw new PortariaError(
      'conflict',
      `there is a client named ${name} already: choose another name, or revoke that one first`,
    )
  if (count >= CLIENT_LIMIT)
    throw new PortariaError('conflict', `there are ${CLIENT_LIMIT} clients already: revoke one that is not used`)
}

/** @throws PortariaError `not_found` */
export function knownClient(id: string, row: ClientRow | undefined): ClientRow {
  if (row === undefined) throw new PortariaError('not_found', `there is no client ${id.slice(0, 64)}`)
  return row
}

/** @throws PortariaError `conflict` */
export function refuseRevoked({ name, revoked_at: revokedAt }: ClientRow): void {
  if (revokedAt !== null)
    throw new PortariaError('conflict', `the client ${name} was revoked: create another in its place`)
}
