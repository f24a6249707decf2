import type { Ask, Calls } from '../../api/calls.ts'
import type { Person } from './person.ts'
import { GatewayFailed, SessionEnded } from './refusals.ts'

/** Asks as the person, whose rights may have ended meanwhile. @throws SessionEnded, GatewayFailed */
export function createAsk(calls: Calls, person: Person, requestId: string): Ask {
  return async function ask(id, input) {
    const principal = person.principal()
    if (principal === null) throw new SessionEnded('the client was revoked, or has a new secret')
    const answer = await calls.askAs({ principal, requestId })(id, input)
    if (answer.status >= 500) throw new GatewayFailed(answer)
    return answer
  }
}
