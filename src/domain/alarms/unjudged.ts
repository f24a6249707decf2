import { unjudgedInterfaces } from '../overview/light.ts'
import type { OverviewFacts } from '../overview/overview.ts'
import type { Alarm } from './alarm.ts'

const OF_CERTIFICATES: readonly string[] = ['certificate_expired', 'certificate_expiring']
/** Certificates that no file and no table has: after a start they are known once their owner has connected again. */
const MET = /^(?:api-client|service-server): /
const MET_AGAIN_MS = 3_600_000

/** Which alarms a process cannot judge that runs for so long: what they are about was not seen since its start. */
export function unjudgedAfter(
  runningMs: number,
  facts: Pick<OverviewFacts, 'service'>,
): (alarm: Pick<Alarm, 'code' | 'subject'>) => boolean {
  const interfaces = unjudgedInterfaces(facts)
  return ({ code, subject }) =>
    (code === 'service_failing' && interfaces.includes(subject)) ||
    (OF_CERTIFICATES.includes(code) && MET.test(subject) && runningMs < MET_AGAIN_MS)
}
