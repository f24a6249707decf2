import type { Catalogue } from '../catalogue.ts'
import { ALARM_PAGE } from './alarm-page.ts'
import { ALARMS } from './alarms.ts'
import { AUDIT } from './audit.ts'
import { CERTIFICATES } from './certificates.ts'
import { CHECK } from './check.ts'
import { CLIENTS } from './clients.ts'
import { COMMON } from './common.ts'
import { CONSUMERS } from './consumers.ts'
import { DELIVERIES } from './deliveries.ts'
import { DESTINATIONS } from './destinations.ts'
import { EVENT } from './event.ts'
import { FIND } from './find.ts'
import { FORWARDING, NETWORKS } from './forwarding.ts'
import { FRAME } from './frame.ts'
import { GAPS } from './gaps.ts'
import { KINDS } from './kinds.ts'
import { NEXT_STEPS } from './next-steps.ts'
import { OVERVIEW } from './overview.ts'
import { PROBLEMS } from './problems.ts'
import { QUARANTINE } from './quarantine.ts'
import { REFUSALS } from './refusals.ts'
import { REPLAYS } from './replays.ts'
import { STATUSES } from './statuses.ts'
import { SUPPORT } from './support.ts'
import { TRAFFIC } from './traffic.ts'

export const PT: Catalogue = {
  common: COMMON,
  frame: FRAME,
  find: FIND,
  event: EVENT,
  deliveries: DELIVERIES,
  forwarding: FORWARDING,
  networks: NETWORKS,
  problems: PROBLEMS,
  kinds: KINDS,
  statuses: STATUSES,
  support: SUPPORT,
  replays: REPLAYS,
  gaps: GAPS,
  refusals: REFUSALS,
  quarantine: QUARANTINE,
  destinations: DESTINATIONS,
  consumers: CONSUMERS,
  clients: CLIENTS,
  certificates: CERTIFICATES,
  audit: AUDIT,
  overview: OVERVIEW,
  traffic: TRAFFIC,
  check: CHECK,
  alarms: ALARMS,
  nextSteps: NEXT_STEPS,
  alarmPage: ALARM_PAGE,
}
