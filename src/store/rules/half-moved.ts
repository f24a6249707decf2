import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'

/** The key in `meta` that a database has until `storage move` has copied everything into it. */
export const MOVE_KEY = 'move'

/** @param mark the value of MOVE_KEY @throws PortariaError `store_unavailable` */
export function refuseHalfMoved(mark: string | undefined): void {
  if (mark === undefined) return
  throw new PortariaError(
    'store_unavailable',
    `the database holds only a part of another one: run ${COMMAND} storage move again, which goes on where it was broken off`,
  )
}
