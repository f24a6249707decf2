import { ALARM_CODES } from '../../api/alarms/schema.ts'
import type { AlarmMuteView, AlarmsView } from '../../api/alarms/view.ts'
import type { AlarmCode } from '../../domain/alarms/alarm.ts'
import type { ChannelKind } from '../../domain/alarms/alarm-source.ts'
import type { SendState } from '../../domain/alarms/send-state.ts'
import { waitingText } from '../../messages/alarm-facts.ts'
import { forwardingWords } from '../../messages/forwarding-words.ts'
import type { Language } from '../../messages/languages.ts'
import { reasonIn } from '../../messages/reasons.ts'
import { inContext, plural, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { sentenceOf } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { CODE_TEXTS } from '../alarms/code-texts.ts'
import { amountFormat } from '../event/amount.ts'
import { jsonOf } from '../frame/answers.ts'
import { sliceOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { SEVERITIES, shownReason } from '../overview/reasons.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { buttonForm } from '../parts/button-form.ts'
import { codeLink } from '../parts/code-link.ts'
import { empty } from '../parts/empty.ts'
import { type Option, select, textField } from '../parts/fields.ts'
import { fileName } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeOf, withTimes } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { failureHtml } from './failure.ts'
import { reasonWithQuotes } from './reason-text.ts'

const KINDS: Readonly<Record<ChannelKind, Said>> = {
  email: say`e-mail`,
  slack: say`Slack`,
  teams: say`Teams`,
  telegram: say`Telegram`,
  discord: say`Discord`,
  json: say`webhook`,
  command: say`program`,
}

const SEND_STATES: Readonly<Record<SendState, Said>> = {
  sent: say`sent`,
  waiting: inContext('alarm', say`waits`),
  quiet: say`waits for the end of the quiet hours`,
  muted: say`muted`,
  failing: say`waits, the channel fails`,
  given_up: say`given up after a day`,
  left_out: say`not by the channel that fails`,
}

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

/** More mutes are folded. */
const MOST_OPEN = 5
/** What the form for a mute proposes. */
const PROPOSED_MS = 2 * 3_600_000

export const ALARMS: Page = {
  path: '/alarms',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, t, viewer } = request
    const view = jsonOf(await ask('listAlarms'))
    const mayChange = viewer.can('operations.write')
    const body = html`<h1>${t`Alarms`}</h1>
<p>${t`Each reason of the overview is sent to people when it begins, with the next step, and once when it ends. The overview shows muted ones, too.`}</p>
${view.channels.length === 0 ? empty(t`No alarm is sent.`, t`The operator names channels in the section alarms of the configuration: e-mail, chat or a program.`) : channelsOf(view, request)}
${view.channels.length > 0 && !mayChange && html`<p>${t`You may look, but not test or mute: that needs the scope operations.write.`}</p>`}
<h2>${t`Open alarms`}</h2>
${view.alarms.length === 0 ? empty(t`Nothing is open.`) : alarmsOf(view.alarms, request)}
<h2 id="mutes">${t`Mutes`}</h2>
${view.mutes.length === 0 ? empty(t`Nothing is muted.`) : html`<details${view.mutes.length <= MOST_OPEN && html` open`}><summary>${t.of(plural(view.mutes.length, say`1 mute`, say`{count} mutes`))}</summary>${mutesOf(view.mutes, request)}</details>`}
${view.channels.length > 0 && mayChange && muteForm(view, request)}`
    return { title: t`Alarms`, body }
  },
}

function channelsOf({ channels, quiet, heartbeat }: AlarmsView, { t, viewer, formToken }: PageRequest): Html {
  const test = (channel: string) =>
    buttonForm({ action: `${PATH}/test`, text: t`Test`, formToken, t, hidden: { channel } })
  const columns = [
    { title: t`Channel`, cell: ({ name }: Channel) => name },
    { title: t`Kind`, cell: ({ kind }: Channel) => t.of(KINDS[kind]) },
    { title: t`State`, cell: (one: Channel) => channelState(one, t) },
  ]
  const mayChange = viewer.can('operations.write')
  const tested = [...columns, { title: t`Test`, cell: ({ name }: Channel) => test(name) }]
  return html`<h2>${t`Channels`}</h2>
${quiet && html`<p>${t`It is the time of the quiet hours: only what loses callbacks is sent. At their end one message lists what is open.`}</p>`}
${table<Channel>(t`Channels`, mayChange ? tested : columns, channels)}
<p class="hint">${heartbeat ? t`A heartbeat is sent while callbacks are taken.` : t`No heartbeat is configured: the silence of a gateway that died is noticed by no service.`}</p>
${
  mayChange &&
  html`${buttonForm({ action: `${PATH}/test`, text: t`Send a test by every channel`, formToken, t })}
<p class="hint">${t`A message goes to the people behind the channel now. It takes at most 20 seconds.`}</p>`
}`
}

function channelState({ failingSince, error }: Channel, t: Speaker): Html {
  if (failingSince === null || error === null) return badge(t`no failure`, 'good')
  return html`${badge(t`fails`, 'bad')} ${t`since`} ${timeOf(failingSince)}: ${failureHtml(error, t)}`
}

function alarmsOf(alarms: readonly Alarm[], { query, t, language }: PageRequest): Html {
  const sorted = [...alarms].sort((one, other) => RANKS[one.severity] - RANKS[other.severity])
  const shown = sliceOf(sorted, { path: PATH, query, t })
  const statesOf = ({ channels }: Alarm) =>
    channels.map(({ name, state }) => html`<span>${name} ${badge(t.of(SEND_STATES[state]), TONES[state])}</span> `)
  const list = table<Alarm>(
    t`Open alarms`,
    [
      { title: t`Alarm`, cell: (one) => html`${alarmText(one, t)}${factsOf(one, t, language)}` },
      { title: t`Began`, cell: ({ beganAt }) => timeOf(beganAt) },
      { title: t.in('alarm')`Ended`, cell: ({ endedAt }) => endedAt && timeOf(endedAt) },
      { title: t`Channels`, cell: statesOf },
    ],
    shown.items,
  )
  return html`${list}${shown.pager}`
}

/** Problems come first. */
const RANKS: Readonly<Record<Alarm['severity'], number>> = { problem: 0, warning: 1 }

function alarmText(alarm: Alarm, t: Speaker): Html {
  const { text, nextStep } = reasonIn(alarm.code, t) ?? alarm
  return html`<strong>${t.of(SEVERITIES[alarm.severity])}:</strong> ${reasonWithQuotes(text, shownReason(alarm, t), t)}<span class="hint">${nextStep} ${codeLink(alarm.code)}</span>`
}

/** As the message says them. */
function factsOf({ subject, waiting, oldest, lastAnswer }: Alarm, t: Speaker, language: Language): Html {
  const where = oldest && sentenceOf({ ...oldest, names: [printable(subject ?? '')], nextAt: null }, t)
  const { status, error, at } = lastAnswer ?? { status: null, error: null, at: '' }
  const answer = error === null ? `HTTP ${status}` : forwardingWords(printable(error), t)
  const lines = [
    waiting &&
      waitingText({ ...waiting, isMore: waiting.more }, amountFormat(language).format(Number(waiting.amount)), t),
    where && t`The oldest: ${{ text: where.text }}. ${{ next: where.then }}`,
    lastAnswer && withTimes(t`Last answer of the receiver: ${{ answer }} (${{ time: at }})`),
  ]
  return html`${lines.map((line) => line && html`<span class="hint">${line}</span>`)}`
}

function mutesOf(mutes: readonly AlarmMuteView[], { t, viewer, formToken }: PageRequest): Html {
  const columns = [
    { title: t`Muted`, cell: ({ code }: AlarmMuteView) => codeText(code, t) },
    { title: t`Only of`, cell: ({ subject }: AlarmMuteView) => subject && shownSubject(subject) },
    { title: t`Until`, cell: ({ until }: AlarmMuteView) => timeOf(until) },
    { title: t`By`, cell: ({ by }: AlarmMuteView) => (by === 'operator' ? t`operator` : by) },
    { title: t`Note`, cell: ({ note }: AlarmMuteView) => note && printable(note) },
  ]
  const end = ({ id }: AlarmMuteView) =>
    buttonForm({ action: `${PATH}/unmute`, text: t`End`, formToken, t, hidden: { id } })
  const mayChange = viewer.can('operations.write')
  return table<AlarmMuteView>(t`Mutes`, mayChange ? [...columns, { title: t`End`, cell: end }] : columns, mutes)
}

function codeText(code: AlarmMuteView['code'], t: Speaker): string {
  return code === 'all' ? t`every alarm` : t.of(CODE_TEXTS[code])
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
function muteForm({ alarms }: AlarmsView, { t, formToken }: PageRequest): Html {
  const open = alarms.flatMap(({ code, subject }): Option[] =>
    subject === null ? [] : [[choiceOf({ code, subject }), `${t.of(CODE_TEXTS[code])}: ${shownSubject(subject)}`]],
  )
  const codes = ALARM_CODES.map((code): Option => [code, t.of(CODE_TEXTS[code as AlarmCode])])
  const until = new Date(Date.now() + PROPOSED_MS).toISOString()
  const fields = html`${select('alarm', t`Alarm`, { options: [['', t`Choose an alarm`], ...open, ...codes, ['all', t`every alarm`]], chosen: '', isRequired: true })}
${timeField('until', t`Until`, { value: until, t })}
${textField('note', t`Note`, { hint: t`For all who see the mute. No personal data.`, longest: 200 })}`
  return html`<h2>${t`Mute alarms`}</h2>
<p>${t`Nothing is sent of them until then, by any channel and node. What is still open at that time is sent.`}</p>
${buttonForm({ action: `${PATH}/mute`, text: t`Mute`, formToken, t, fields })}`
}
