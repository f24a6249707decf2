import { say } from '../messages/say.ts'
import { ALARM_ACTIONS } from './alarms/actions.ts'
import { ALARMS } from './alarms/alarms.ts'
import { AUDIT } from './audit/list.ts'
import { CERTIFICATE_LIST } from './certificates/list.ts'
import { CERTIFICATE_ACTIONS, TRUST_FORM } from './certificates/trust.ts'
import { CHECK, CONFIRM_CLOCK, RUN_CHECK } from './check/check.ts'
import { CLIENT_CHANGES } from './clients/actions.ts'
import { CLIENT_DETAIL } from './clients/detail.ts'
import { CLIENT_LIST } from './clients/list.ts'
import { CREATE_CLIENT, NEW_CLIENT } from './clients/new.ts'
import { CODES } from './codes/codes.ts'
import { CONSUMER_ACTIONS } from './consumers/actions.ts'
import { CONSUMER_DETAIL } from './consumers/detail.ts'
import { CONSUMER_LIST } from './consumers/list.ts'
import { DESTINATION_ACTIONS } from './destinations/actions.ts'
import { DESTINATION_DETAIL } from './destinations/detail.ts'
import { EDIT_DESTINATION } from './destinations/edit.ts'
import { DESTINATION_LIST } from './destinations/list.ts'
import { NEW_DESTINATION } from './destinations/new.ts'
import { NEW_REGISTRATION } from './destinations/new-registration.ts'
import { REGISTRATIONS } from './destinations/registrations.ts'
import { SEND_AGAIN } from './event/actions.ts'
import { EVENT, EVENT_DELIVERIES, UNMASK } from './event/event.ts'
import { EVENTS_CSV } from './find/csv.ts'
import { FIND } from './find/find.ts'
import { PERSON } from './find/person.ts'
import type { Download } from './frame/download.ts'
import type { FormAction, PageEntry } from './frame/page.ts'
import { GAPS, RECONCILE } from './gaps/gaps.ts'
import { OVERVIEW } from './overview/overview.ts'
import { QUARANTINE_ACTIONS, QUARANTINED } from './quarantine/detail.ts'
import { QUARANTINE_LIST } from './quarantine/list.ts'
import { REFUSAL_DETAIL } from './refusals/detail.ts'
import { REFUSAL_LIST } from './refusals/list.ts'
import { CANCEL_REPLAY, REPLAY_DETAIL } from './replays/detail.ts'
import { REPLAY_LIST } from './replays/list.ts'
import { COUNT_REPLAY, NEW_REPLAY, START_REPLAY } from './replays/new.ts'
import { CHOOSE_ALL, CHOOSE_SELECTED, COUNT_SELECTED, START_SELECTED } from './replays/selected.ts'
import { TRAFFIC } from './traffic/traffic.ts'

/** Every page. Those with a label are tabs, in the order of their group. */
export const PAGES: readonly PageEntry[] = [
  { page: FIND, label: say`Find`, icon: 'find', group: 'events' },
  { page: EVENT, tab: FIND },
  { page: PERSON, tab: FIND },
  { page: EVENT_DELIVERIES, tab: FIND },
  { page: OVERVIEW, label: say`Overview`, icon: 'overview', group: 'state' },
  { page: TRAFFIC, label: say`Traffic`, icon: 'traffic', group: 'state' },
  { page: ALARMS, label: say`Alarms`, icon: 'alarms', group: 'state' },
  { page: CHECK, label: say`Check`, icon: 'check', group: 'state' },
  {
    page: DESTINATION_LIST,
    label: say`Destinations`,
    icon: 'destinations',
    group: 'delivery',
  },
  // Before the pages of the destinations, whose paths it fits.
  { page: NEW_DESTINATION, tab: DESTINATION_LIST },
  { page: EDIT_DESTINATION, tab: DESTINATION_LIST },
  { page: DESTINATION_DETAIL, tab: DESTINATION_LIST },
  {
    page: REGISTRATIONS,
    label: say`Registrations`,
    icon: 'registrations',
    group: 'delivery',
  },
  { page: NEW_REGISTRATION, tab: REGISTRATIONS },
  { page: CONSUMER_LIST, label: say`Consumers`, icon: 'consumers', group: 'delivery' },
  { page: CONSUMER_DETAIL, tab: CONSUMER_LIST },
  { page: REPLAY_LIST, label: say`Replays`, icon: 'replays', group: 'delivery' },
  { page: NEW_REPLAY, tab: REPLAY_LIST },
  { page: REPLAY_DETAIL, tab: REPLAY_LIST },
  { page: GAPS, label: say`Gaps`, icon: 'gaps', group: 'exceptions' },
  { page: QUARANTINE_LIST, label: say`Quarantine`, icon: 'quarantine', group: 'exceptions' },
  { page: QUARANTINED, tab: QUARANTINE_LIST },
  { page: REFUSAL_LIST, label: say`Refusals`, icon: 'refusals', group: 'exceptions' },
  { page: REFUSAL_DETAIL, tab: REFUSAL_LIST },
  {
    page: CERTIFICATE_LIST,
    label: say`Certificates`,
    icon: 'certificates',
    group: 'administration',
  },
  { page: TRUST_FORM, tab: CERTIFICATE_LIST },
  { page: CLIENT_LIST, label: say`People and apps`, icon: 'people', group: 'administration' },
  { page: NEW_CLIENT, tab: CLIENT_LIST },
  { page: CLIENT_DETAIL, tab: CLIENT_LIST },
  { page: CODES, tab: CHECK },
  { page: AUDIT, label: say`Log of actions`, icon: 'actions', group: 'administration' },
]

/** Every file that is made for a person. */
export const DOWNLOADS: readonly Download[] = [EVENTS_CSV]

/** Every form. */
export const ACTIONS: readonly FormAction[] = [
  SEND_AGAIN,
  UNMASK,
  ...DESTINATION_ACTIONS,
  ...CONSUMER_ACTIONS,
  COUNT_REPLAY,
  START_REPLAY,
  CANCEL_REPLAY,
  CHOOSE_SELECTED,
  CHOOSE_ALL,
  COUNT_SELECTED,
  START_SELECTED,
  ...QUARANTINE_ACTIONS,
  ...CERTIFICATE_ACTIONS,
  CREATE_CLIENT,
  ...CLIENT_CHANGES,
  RUN_CHECK,
  CONFIRM_CLOCK,
  RECONCILE,
  ...ALARM_ACTIONS,
]
