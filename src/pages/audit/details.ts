import { LONGEST_DETAIL } from '../../domain/actions/action.ts'
import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { CODE_TEXTS } from '../alarms/code-texts.ts'
import { PLACE_TEXTS } from '../consumers/detail.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { ENVIRONMENT_TEXTS } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { MODE_TEXTS } from '../replays/replay.ts'

export const DETAIL_NAMES: Readonly<Record<string, Said>> = {
  name: say`Name`,
  institution: say`Institution`,
  institutions: say`Institutions`,
  environment: say`Environment`,
  environments: say`Environments`,
  scopes: say`Scopes`,
  client: say`Client`,
  grace: say`Previous secret valid for`,
  destination: say`Destination`,
  host: say`Host`,
  newHost: say`New host`,
  owner: say`Owner`,
  kind: say`Kind`,
  kinds: say`Kinds`,
  changed: inContext('action', say`Changed`),
  change: inContext('action', say`Change`),
  mode: say`Mode`,
  dryRun: say`Count only`,
  status: say`Status`,
  subject: say`References`,
  from: say`From`,
  to: say`Before`,
  subjects: say`References`,
  events: say`Chosen events`,
  channel: say`Channel`,
  url: say`URL`,
  headers: say`Headers`,
  authentication: say`Authentication`,
  format: say`Body`,
  order: say`Order`,
  onExhausted: say`After a delivery with no more tries`,
  timeoutMs: say`Timeout`,
  concurrency: say`Attempts at the same time`,
  rateLimit: say`Rate limit`,
  scheduleMs: say`Waits`,
  authorities: say`Authorities`,
  position: say`Position`,
  code: say`Alarm`,
  until: say`Until`,
  person: say`Person`,
  issuer: say`Provider`,
  sub: say`Subject at the provider`,
}

/** What an action was about, in the reader's language. A newer gateway may have recorded a detail without a name here. */
export function detailsOf(details: Readonly<Record<string, string>>, t: Speaker): Html {
  return html`${Object.entries(details).map(
    ([name, text]) => html`<div>${nameOf(name, t)}: ${detailOf(name, text, t)}</div>`,
  )}`
}

function nameOf(name: string, t: Speaker): string {
  return t.at(DETAIL_NAMES, name) ?? name
}

function detailOf(name: string, text: string, t: Speaker): Html {
  if (TIMES.has(name) && !Number.isNaN(Date.parse(text))) return timeOf(text)
  const word = Object.hasOwn(WORDS, name) ? (WORDS[name]?.(text, t) ?? null) : null
  return word === null ? html`<span class="id">${shortened(text, LONGEST_DETAIL)}</span>` : html`${word}`
}

const TIMES: ReadonlySet<string> = new Set(['from', 'to', 'until'])

/** Details that are not names of the operator; null: shown as it was recorded. */
const WORDS: Readonly<Record<string, (text: string, t: Speaker) => string | null>> = {
  owner: (text, t) => (text === 'operator' ? t`operator` : null),
  environment: (text, t) => t.at(ENVIRONMENT_TEXTS, text),
  environments: (text, t) => eachOf(text, (one) => t.at(ENVIRONMENT_TEXTS, one) ?? one),
  destination: (text, t) => (text === 'all' ? t`All that were sent it, also those that have it already` : null),
  mode: (text, t) => t.at(MODE_TEXTS, text),
  dryRun: (text, t) => t.at({ true: say`yes`, false: say`no` }, text),
  kind: kindText,
  kinds: (text, t) => eachOf(text, (one) => kindText(one, t)),
  position: (text, t) => (text === 'start' || text === 'latest' ? t.of(PLACE_TEXTS[text]) : null),
  status: statusText,
  subject: (text, t) => (text === 'one' ? t`of one reference` : null),
  changed: (text, t) => eachOf(text, (one) => nameOf(one, t)),
  code: (text, t) => (text === 'all' ? t`every alarm` : t.at(CODE_TEXTS, text)),
}

/** Of a list that was recorded with spaces. */
function eachOf(text: string, word: (one: string) => string): string {
  return shortened(text, LONGEST_DETAIL).split(' ').map(word).join(', ')
}
