import type { Evidence } from '../../domain/event-record.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { iso } from '../../platform/time.ts'

/** @throws PortariaError `not_found` */
export async function findEvent(store: StoreReader, id: string) {
  const found = await store.getEvent(id)
  if (found === null) throw new PortariaError('not_found', `there is no event ${id.slice(0, 64)}`)
  return found
}

/** @throws PortariaError `gone` where retention or a redaction removed data from the callback */
export function requireBody({ bodyRemovedAt }: Pick<Evidence, 'bodyRemovedAt'>): void {
  if (bodyRemovedAt === null) return
  throw new PortariaError(
    'gone',
    [
      `the original body is no longer stored: data was removed from it on ${iso(bodyRemovedAt)}, by retention or a redaction;`,
      `GET /v1/events/:id ("${COMMAND} events show") shows what is left`,
    ].join(' '),
  )
}
