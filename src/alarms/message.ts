import { type Alarm, keyOfAlarm } from '../domain/alarms/alarm.ts'
import type { AlarmFacts, LastAnswer, Waiting } from '../domain/alarms/alarm-facts.ts'
import type { DueMessage } from '../domain/alarms/due.ts'
import { filledIn, type ReasonText } from '../domain/overview/reasons.ts'
import { waitingText } from '../messages/alarm-facts.ts'
import { forwardingWords } from '../messages/forwarding-words.ts'
import type { Language } from '../messages/languages.ts'
import { detailsIn, reasonIn } from '../messages/reasons.ts'
import { plural, type Said, say } from '../messages/say.ts'
import { type Speaker, speaker } from '../messages/speaker.ts'
import { sentenceOf } from '../messages/where.ts'
import { printable } from '../platform/control-characters.ts'
import { COMMAND } from '../platform/installation.ts'
import { TIMES_IN_TEXT } from '../platform/time.ts'

/** What a channel sends. Nothing in it is personal data, and no secret of the gateway. */
export interface AlarmMessage {
  /** Name of the node that sends it. */
  readonly gateway: string
  readonly at: number
  readonly isTest: boolean
  readonly title: string
  /** The title, and everything below it. */
  readonly text: string
  readonly began: readonly AlarmLine[]
  readonly ended: readonly AlarmLine[]
  /** Sent before, and not over. */
  readonly goingOn: readonly AlarmLine[]
}

export interface AlarmLine {
  readonly code: string
  /** null: the gateway. */
  readonly subject: string | null
  readonly severity: 'problem' | 'warning'
  readonly text: string
  readonly nextStep: string
  readonly beganAt: number
  readonly endedAt: number | null
  /** What waits for the destination; null: nothing, or it was not counted. */
  readonly waiting: Waiting | null
  /** Where the oldest delivery to it is that does not arrive, what happens next, and who must act; null: there is none. */
  readonly oldest: { readonly text: string; readonly then: string } | null
  /** What its receiver said last; null: unknown. */
  readonly lastAnswer: { readonly text: string; readonly at: number } | null
  /** Address of the page about it; null: unknown. */
  readonly page: string | null
}

/** What an alarm says beside its reason. */
export interface AlarmAdditions extends AlarmFacts {
  readonly page: string | null
}

export interface MessageOptions {
  readonly language: Language
  /** null: UTC. */
  readonly timeZone: string | null
  readonly gateway: string
  readonly now: number
  /** By `keyOfAlarm`; left out: nothing is added. */
  readonly additions?: ReadonlyMap<string, AlarmAdditions>
  /** Address of the page that mutes alarms; null: unknown. */
  readonly mutePage?: string | null
}

/** Subjects of one code that are written out; the others are counted. */
export const WRITTEN = 5

export function messageOf({ began, ended, goingOn, sumsUp }: DueMessage, options: MessageOptions): AlarmMessage {
  const { language, gateway, now } = options
  const t = speaker(language)
  const lines = {
    began: linesOf(began, options),
    ended: linesOf(ended, options),
    goingOn: linesOf(goingOn, options),
  }
  const countOf = (severity: AlarmLine['severity']) => lines.began.filter((one) => one.severity === severity).length
  const counts = [
    plural(countOf('problem'), say`1 problem`, say`{count} problems`),
    plural(countOf('warning'), say`1 warning`, say`{count} warnings`),
    plural(lines.ended.length, say`1 over`, say`{count} over`),
    plural(lines.goingOn.length, say`1 still open`, say`{count} still open`),
  ]
  const summary = counts
    .filter(({ one }) => one !== undefined && one.count > 0)
    .map(t.of)
    .join(', ')
  const title = `Portaria ${gateway}: ${summary}`
  const paragraphs = [
    title,
    ...(sumsUp === null ? [] : [t`The quiet hours are over. This is what is open.`]),
    ...paragraphsOf(lines.began, null, options),
    ...paragraphsOf(lines.goingOn, t`STILL OPEN`, options),
    ...paragraphsOf(lines.ended, t`OVER`, options),
    ...(lines.began.length + lines.goingOn.length === 0 ? [] : [muteText(options.mutePage ?? null, t)]),
  ]
  return { gateway, at: now, isTest: false, title, text: paragraphs.join('\n\n'), ...lines }
}

function muteText(page: string | null, t: Speaker): string {
  const where = page ?? t`the page /ui/alarms`
  return t`To mute an alarm until a time: ${{ where }}, or the command ${{ command: COMMAND }} alarms mute with the code in brackets`
}

export function testMessage({ language, gateway, now }: MessageOptions): AlarmMessage {
  const t = speaker(language)
  const title = `Portaria ${gateway}: ${t.in('alarm')`Test`}`
  const text = `${title}\n\n${t`This is a test of the alarms. Nothing has happened.`}`
  return { gateway, at: now, isTest: true, title, text, began: [], ended: [], goingOn: [] }
}

/** Problems first. */
function linesOf(alarms: readonly Alarm[], options: MessageOptions): AlarmLine[] {
  const lines = alarms.map((alarm) => lineOf(alarm, options))
  return [
    ...lines.filter(({ severity }) => severity === 'problem'),
    ...lines.filter(({ severity }) => severity === 'warning'),
  ]
}

function lineOf(alarm: Alarm, { language, additions }: MessageOptions): AlarmLine {
  const { code, severity, value, detail, until, beganAt, endedAt } = alarm
  const t = speaker(language)
  const { text, nextStep } = reasonIn(code, t) as ReasonText
  const subject = alarm.subject === '' ? null : printable(alarm.subject)
  const shown = detail === null ? null : forwardingWords(printable(detail), t)
  const filled = filledIn(text, { subject, value, detail: shown, until }, detailsIn(t))
  const { waiting = null, oldest = null, lastAnswer = null, page = null } = additions?.get(keyOfAlarm(alarm)) ?? {}
  const answer = lastAnswer && { text: answerText(lastAnswer, t), at: lastAnswer.at }
  const common = { code, subject, severity, text: filled, nextStep, beganAt, endedAt, waiting, page }
  return { ...common, oldest: oldest && oldestText(oldest, t), lastAnswer: answer }
}

function oldestText(oldest: NonNullable<AlarmFacts['oldest']>, t: Speaker): AlarmLine['oldest'] {
  const names = oldest.names.map(printable)
  const { text, then } = sentenceOf({ ...oldest, names, nextAt: null }, t)
  return { text, then }
}

/** Never the body: a receiver may repeat there what it was sent. */
function answerText({ status, error }: LastAnswer, t: Speaker): string {
  if (status !== null || error === null) return `HTTP ${status}`
  return forwardingWords(printable(error), t).slice(0, LONGEST_ANSWER)
}

const LONGEST_ANSWER = 300

function paragraphsOf(lines: readonly AlarmLine[], label: string | null, options: MessageOptions): string[] {
  const t = speaker(options.language)
  const byCode = Map.groupBy(lines, ({ code }) => code)
  return [...byCode.values()].flatMap((same) => {
    const paragraphs = same.slice(0, WRITTEN).map((line) => paragraphOf(line, label, options))
    return same.length > WRITTEN
      ? [...paragraphs, t`and ${{ count: same.length - WRITTEN }} more with the same reason`]
      : paragraphs
  })
}

function paragraphOf(line: AlarmLine, label: string | null, options: MessageOptions): string {
  const t = speaker(options.language)
  const { severity, text, nextStep, beganAt, endedAt, waiting, oldest, lastAnswer, page, code } = line
  const timeOf = (time: number) => timeText(time, options)
  const withTimes = (words: string) =>
    words.replaceAll(new RegExp(TIMES_IN_TEXT, 'g'), (time) => timeOf(Date.parse(time)))
  const from = timeOf(beganAt)
  return [
    `${label ?? t.of(LABELS[severity])}: ${withTimes(text)}`,
    endedAt === null ? t`Since ${{ time: from }}` : t`From ${{ from }} to ${{ to: timeOf(endedAt) }}`,
    ...(waiting === null ? [] : [waitingText(waiting, reais(waiting.cents, options.language), t)]),
    ...(oldest === null ? [] : [t`The oldest: ${{ text: oldest.text }}. ${{ next: oldest.then }}`]),
    ...(lastAnswer === null
      ? []
      : [t`Last answer of the receiver: ${{ answer: lastAnswer.text }} (${{ time: timeOf(lastAnswer.at) }})`]),
    ...(endedAt === null ? [t`Next step: ${{ text: nextStep }}`] : []),
    ...(page === null ? [] : [t`Page: ${{ address: page }}`]),
    `[${code}]`,
  ].join('\n')
}

const LABELS: Readonly<Record<AlarmLine['severity'], Said>> = { problem: say`PROBLEM`, warning: say`WARNING` }

function reais(cents: number, language: Language): string {
  const tag = language === 'pt' ? 'pt-BR' : language
  return new Intl.NumberFormat(tag, { style: 'currency', currency: 'BRL' }).format(cents / 100)
}

/** `2026-11-28 07:00:00 America/Sao_Paulo`, in UTC where no zone is configured; in Portuguese `28/11/2026 07:00:00`. */
function timeText(time: number, { language, timeZone }: Pick<MessageOptions, 'language' | 'timeZone'>): string {
  const zone = timeZone ?? 'UTC'
  // Swedish writes ISO 8601, which no reader of English takes for another day.
  const format = new Intl.DateTimeFormat(language === 'pt' ? 'pt-BR' : 'sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return `${format.format(time).replace(',', '')} ${zone}`
}

/** The keys of the alarms in a message, for logs. */
export function keysIn({ began, ended, goingOn }: Pick<DueMessage, 'began' | 'ended' | 'goingOn'>) {
  const keysOf = (alarms: readonly Alarm[]) => alarms.map((one) => keyOfAlarm(one).trim())
  return { began: keysOf(began), ended: keysOf(ended), goingOn: keysOf(goingOn) }
}
