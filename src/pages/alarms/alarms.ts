import { ALARM_CODES } from '../../api/alarms/schema.ts'
import type { AlarmMuteView, AlarmsView } from '../../api/alarms/view.ts'
import type { AlarmCode, NoticeCode } from '../../domain/alarms/alarm.ts'
import type { SendState } from '../../domain/alarms/send-state.ts'
import type { ReasonCode } from '../../domain/overview/reasons.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { forwardingWords } from '../../messages/forwarding-words.ts'
import type { Language } from '../../messages/languages.ts'
import { sentenceOf } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { amountFormat } from '../event/amount.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { shownReason } from '../overview/overview.ts'
import { codeLink } from '../parts/code-link.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { buttonForm } from '../parts/button-form.ts'
import { empty } from '../parts/empty.ts'
import { type Option, select, textField } from '../parts/fields.ts'
import { fileName } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeOf, withTimes } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { failureHtml } from './failure.ts'
import { reasonWithQuotes } from './reason-text.ts'

export const PATH = '/ui/alarms'

type Alarm = AlarmsView['alarms'][number]
type Channel = AlarmsView['channels'][number]

const TONES: Readonly<Record<SendState, Tone>> = {
  sent: 'good',
  waiting: 'info',
  quiet: 'info',
  muted: null,
  failing: 'bad',
  given_up: 'bad',
  left_out: null,
}

/** What the form for a mute proposes. */
const PROPOSED_MS = 2 * 3_600_000

export const ALARMS: Page = {
  path: '/alarms',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, words, viewer } = request
    const { alarmPage } = words
    const view = jsonOf(await ask('listAlarms'))
    const mayChange = viewer.can('operations.write')
    const body = html`<h1>${alarmPage.title}</h1>
<p>${alarmPage.intro}</p>
${view.channels.length === 0 ? empty(alarmPage.notConfigured, alarmPage.notConfiguredAdvice) : channelsOf(view, request)}
${view.channels.length > 0 && !mayChange && html`<p>${alarmPage.readOnly}</p>`}
<h2>${alarmPage.alarms}</h2>
${view.alarms.length === 0 ? empty(alarmPage.none) : alarmsOf(view.alarms, request)}
<h2 id="mutes">${alarmPage.mutes}</h2>
${view.mutes.length === 0 ? empty(alarmPage.noMutes) : mutesOf(view.mutes, request)}
${view.channels.length > 0 && mayChange && muteForm(view, request)}`
    return { title: alarmPage.title, body }
  },
}

function channelsOf({ channels, quiet, heartbeat }: AlarmsView, { words, viewer, formToken }: PageRequest): Html {
  const { alarmPage } = words
  const test = (channel: string) =>
    buttonForm({ action: `${PATH}/test`, text: alarmPage.testOne, formToken, words, hidden: { channel } })
  const columns = [
    { title: alarmPage.channel, cell: ({ name }: Channel) => name },
    { title: alarmPage.kind, cell: ({ kind }: Channel) => alarmPage.kinds[kind] },
    { title: alarmPage.state, cell: (one: Channel) => channelState(one, words) },
  ]
  const mayChange = viewer.can('operations.write')
  const tested = [...columns, { title: alarmPage.testOne, cell: ({ name }: Channel) => test(name) }]
  return html`<h2>${alarmPage.channels}</h2>
${quiet && html`<p>${alarmPage.quiet}</p>`}
${table<Channel>(alarmPage.channels, mayChange ? tested : columns, channels)}
<p class="hint">${heartbeat ? alarmPage.heartbeat : alarmPage.noHeartbeat}</p>
${
  mayChange &&
  html`${buttonForm({ action: `${PATH}/test`, text: alarmPage.test, formToken, words })}
<p class="hint">${alarmPage.testHint}</p>`
}`
}

function channelState({ failingSince, error }: Channel, words: Catalogue): Html {
  const { alarmPage } = words
  if (failingSince === null || error === null) return badge(alarmPage.good, 'good')
  return html`${badge(alarmPage.failing, 'bad')} ${alarmPage.since} ${timeOf(failingSince)}: ${failureHtml(error, words)}`
}

function alarmsOf(alarms: readonly Alarm[], { words, language }: PageRequest): Html {
  const { alarmPage } = words
  const statesOf = ({ channels }: Alarm) =>
    channels.map(({ name, state }) => html`<span>${name} ${badge(alarmPage.sendStates[state], TONES[state])}</span> `)
  return table<Alarm>(
    alarmPage.alarms,
    [
      { title: alarmPage.alarm, cell: (one) => html`${alarmText(one, words)}${factsOf(one, words, language)}` },
      { title: alarmPage.began, cell: ({ beganAt }) => timeOf(beganAt) },
      { title: alarmPage.ended, cell: ({ endedAt }) => endedAt && timeOf(endedAt) },
      { title: alarmPage.channels, cell: statesOf },
    ],
    [...alarms].sort((one, other) => RANKS[one.severity] - RANKS[other.severity]),
  )
}

/** Problems come first. */
const RANKS: Readonly<Record<Alarm['severity'], number>> = { problem: 0, warning: 1 }

function alarmText(alarm: Alarm, words: Catalogue): Html {
  const { overview, alarms } = words
  const { text, nextStep } = overview.reasons[alarm.code as ReasonCode] ?? alarms.notices[alarm.code as NoticeCode]
  return html`<strong>${overview.severities[alarm.severity]}:</strong> ${reasonWithQuotes(text, shownReason(alarm, overview), words)}<span class="hint">${nextStep} ${codeLink(alarm.code)}</span>`
}

/** As the message says them. */
function factsOf({ subject, waiting, oldest, lastAnswer }: Alarm, words: Catalogue, language: Language): Html {
  const { alarms } = words
  const where = oldest && sentenceOf({ ...oldest, names: [printable(subject ?? '')], nextAt: null }, words)
  const { status, error, at } = lastAnswer ?? { status: null, error: null, at: '' }
  const answer = error === null ? `HTTP ${status}` : forwardingWords(printable(error), words)
  const lines = [
    waiting &&
      alarms.waiting({ ...waiting, isMore: waiting.more }, amountFormat(language).format(Number(waiting.amount))),
    where && alarms.oldest(where.text, where.then),
    lastAnswer && withTimes(alarms.lastAnswer(answer, at)),
  ]
  return html`${lines.map((line) => line && html`<span class="hint">${line}</span>`)}`
}

function mutesOf(mutes: readonly AlarmMuteView[], { words, viewer, formToken }: PageRequest): Html {
  const { alarmPage } = words
  const columns = [
    { title: alarmPage.muted, cell: ({ code }: AlarmMuteView) => codeText(code, words) },
    { title: alarmPage.subject, cell: ({ subject }: AlarmMuteView) => subject && shownSubject(subject) },
    { title: alarmPage.until, cell: ({ until }: AlarmMuteView) => timeOf(until) },
    { title: alarmPage.by, cell: ({ by }: AlarmMuteView) => (by === 'operator' ? words.audit.operator : by) },
    { title: alarmPage.note, cell: ({ note }: AlarmMuteView) => note && printable(note) },
  ]
  const end = ({ id }: AlarmMuteView) =>
    buttonForm({ action: `${PATH}/unmute`, text: alarmPage.unmute, formToken, words, hidden: { id } })
  const mayChange = viewer.can('operations.write')
  return table<AlarmMuteView>(
    alarmPage.mutes,
    mayChange ? [...columns, { title: alarmPage.unmute, cell: end }] : columns,
    mutes,
  )
}

function codeText(code: AlarmMuteView['code'], { alarmPage }: Catalogue): string {
  return code === 'all' ? alarmPage.all : alarmPage.codes[code]
}

/** Without folders of the gateway's machine. */
function choiceOf({ code, subject }: Pick<Alarm, 'code' | 'subject'>): string {
  return `${code} ${fileName(subject ?? '')}`
}

/** What was chosen in the form: a code, or an open alarm. */
export function meantBy(chosen: string, open: readonly Pick<Alarm, 'code' | 'subject'>[]) {
  const alarm = open.find((one) => one.subject !== null && choiceOf(one) === chosen)
  return alarm === undefined ? { code: chosen } : { code: alarm.code, subject: alarm.subject ?? undefined }
}

function shownSubject(subject: string): string {
  return printable(fileName(subject))
}

/** The open alarms first: `meantBy` finds them by their values. */
function muteForm({ alarms }: AlarmsView, { words, formToken }: PageRequest): Html {
  const { alarmPage } = words
  const open = alarms.flatMap(({ code, subject }): Option[] =>
    subject === null ? [] : [[choiceOf({ code, subject }), `${alarmPage.codes[code]}: ${shownSubject(subject)}`]],
  )
  const codes = ALARM_CODES.map((code): Option => [code, alarmPage.codes[code as AlarmCode]])
  const until = new Date(Date.now() + PROPOSED_MS).toISOString()
  const fields = html`${select('alarm', alarmPage.alarm, { options: [['', alarmPage.choose], ...open, ...codes, ['all', alarmPage.all]], chosen: '', isRequired: true })}
${timeField('until', alarmPage.until, { value: until, words })}
${textField('note', alarmPage.note, { hint: alarmPage.noteHint, longest: 200 })}`
  return html`<h2>${alarmPage.muteTitle}</h2>
<p>${alarmPage.muteHint}</p>
${buttonForm({ action: `${PATH}/mute`, text: alarmPage.mute, formToken, words, fields })}`
}
