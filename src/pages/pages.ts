import { AUDIT } from './audit/list.ts'
import { CERTIFICATE_LIST } from './certificates/list.ts'
import { CERTIFICATE_ACTIONS, TRUST_FORM } from './certificates/trust.ts'
import { CHECK, RUN_CHECK } from './check/check.ts'
import { CONSUMER_ACTIONS } from './consumers/actions.ts'
import { CONSUMER_DETAIL } from './consumers/detail.ts'
import { CONSUMER_LIST } from './consumers/list.ts'
import { DESTINATION_ACTIONS } from './destinations/actions.ts'
import { DESTINATION_DETAIL } from './destinations/detail.ts'
import { DESTINATION_LIST } from './destinations/list.ts'
import { REGISTRATIONS } from './destinations/registrations.ts'
import { SEND_AGAIN } from './event/actions.ts'
import { EVENT, EVENT_DELIVERIES, UNMASK } from './event/event.ts'
import { FIND } from './find/find.ts'
import type { FormAction, PageEntry } from './frame/page.ts'
import { GAPS } from './gaps/gaps.ts'
import { OVERVIEW } from './overview/overview.ts'
import { QUARANTINE_ACTIONS, QUARANTINED } from './quarantine/detail.ts'
import { QUARANTINE_LIST } from './quarantine/list.ts'
import { REFUSAL_DETAIL } from './refusals/detail.ts'
import { REFUSAL_LIST } from './refusals/list.ts'
import { CANCEL_REPLAY, REPLAY_DETAIL } from './replays/detail.ts'
import { REPLAY_LIST } from './replays/list.ts'
import { COUNT_REPLAY, NEW_REPLAY, START_REPLAY } from './replays/new.ts'

/** Every page, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { page: FIND, label: ({ find }) => find.title },
  { page: EVENT, label: null },
  { page: EVENT_DELIVERIES, label: null },
  { page: OVERVIEW, label: ({ overview }) => overview.title },
  { page: DESTINATION_LIST, label: ({ destinations }) => destinations.title },
  { page: DESTINATION_DETAIL, label: null },
  { page: REGISTRATIONS, label: ({ destinations }) => destinations.registrations.title },
  { page: CONSUMER_LIST, label: ({ consumers }) => consumers.title },
  { page: CONSUMER_DETAIL, label: null },
  { page: REPLAY_LIST, label: ({ replays }) => replays.title },
  { page: NEW_REPLAY, label: null },
  { page: REPLAY_DETAIL, label: null },
  { page: GAPS, label: ({ gaps }) => gaps.title },
  { page: QUARANTINE_LIST, label: ({ quarantine }) => quarantine.title },
  { page: QUARANTINED, label: null },
  { page: REFUSAL_LIST, label: ({ refusals }) => refusals.title },
  { page: REFUSAL_DETAIL, label: null },
  { page: CERTIFICATE_LIST, label: ({ certificates }) => certificates.title },
  { page: TRUST_FORM, label: null },
  { page: CHECK, label: ({ check }) => check.title },
  { page: AUDIT, label: ({ audit }) => audit.title },
]

/** Every form. */
export const ACTIONS: readonly FormAction[] = [
  SEND_AGAIN,
  UNMASK,
  ...DESTINATION_ACTIONS,
  ...CONSUMER_ACTIONS,
  COUNT_REPLAY,
  START_REPLAY,
  CANCEL_REPLAY,
  ...QUARANTINE_ACTIONS,
  ...CERTIFICATE_ACTIONS,
  RUN_CHECK,
]
