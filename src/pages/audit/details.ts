import { LONGEST_DETAIL } from '../../domain/actions/action.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { shortened } from '../parts/shortened-text.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'

/** What an action was about, in the reader's language. A newer gateway may have recorded a detail without a name here. */
export function detailsOf(details: Readonly<Record<string, string>>, words: Catalogue): Html {
  return html`${Object.entries(details).map(
    ([name, text]) => html`<div>${nameOf(name, words)}: ${detailOf(name, text, words)}</div>`,
  )}`
}

function nameOf(name: string, { audit }: Catalogue): string {
  return textIn(audit.detailNames, name) ?? name
}

function detailOf(name: string, text: string, words: Catalogue): Html {
  if (TIMES.has(name) && !Number.isNaN(Date.parse(text))) return timeOf(text)
  const word = Object.hasOwn(WORDS, name) ? WORDS[name]?.(text, words) : undefined
  return word === undefined ? html`<span class="id">${shortened(text, LONGEST_DETAIL)}</span>` : html`${word}`
}

const TIMES: ReadonlySet<string> = new Set(['from', 'to', 'until'])

/** Details that are not names of the operator; undefined: shown as it was recorded. */
const WORDS: Readonly<Record<string, (text: string, words: Catalogue) => string | undefined>> = {
  owner: (text, { audit }) => (text === 'operator' ? audit.operator : undefined),
  environment: (text, { frame }) => textIn(frame.environments, text),
  environments: (text, { frame }) => eachOf(text, (one) => textIn(frame.environments, one) ?? one),
  destination: (text, { event }) => (text === 'all' ? event.again.all : undefined),
  mode: (text, { replays }) => textIn(replays.modes, text),
  dryRun: (text, { common }) => textIn({ true: common.yes, false: common.no }, text),
  kind: kindText,
  kinds: (text, words) => eachOf(text, (one) => kindText(one, words)),
  position: (text, { consumers }) => textIn({ start: consumers.places.start, latest: consumers.places.latest }, text),
  status: statusText,
  subject: (text, { audit }) => (text === 'one' ? audit.oneSubject : undefined),
  changed: (text, words) => eachOf(text, (one) => nameOf(one, words)),
  code: (text, { alarmPage }) => (text === 'all' ? alarmPage.all : textIn(alarmPage.codes, text)),
}

function textIn(texts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}

/** Of a list that was recorded with spaces. */
function eachOf(text: string, word: (one: string) => string): string {
  return shortened(text, LONGEST_DETAIL).split(' ').map(word).join(', ')
}
