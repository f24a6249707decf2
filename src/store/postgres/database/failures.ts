import { messageOf, PortariaError } from '../../../platform/errors.ts'

export function unavailable(cause: unknown): PortariaError {
  if (cause instanceof PortariaError) return cause
  return new PortariaError('store_unavailable', `the database refused: ${messageOf(cause)}`, { cause })
}

/** Of PostgreSQL (its appendix A); '': the error is not from the server. */
export function sqlStateOf(error: unknown): string {
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}

/** Connection exceptions, a server that stops or drops this session, and a standby, which a primary may have become. */
const ENDING = /^(?:08|57P|25P03|25006)/
/** Resources, disk and damaged data: whatever is asked, it fails. */
const SERVER = /^(?:53|57|58|XX)/

/** The connection is of no use any more, or leads to the wrong server. */
export function endsConnection(error: unknown): boolean {
  return ENDING.test(sqlStateOf(error))
}

/** No call of a group is at fault: none is repeated alone. */
export function isOfServer(error: unknown): boolean {
  return ENDING.test(sqlStateOf(error)) || SERVER.test(sqlStateOf(error))
}
