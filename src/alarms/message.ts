import { type Alarm, isNotice, keyOfAlarm, type NoticeCode } from '../domain/alarms/alarm.ts'
import type { AlarmFacts, LastAnswer, Waiting } from '../domain/alarms/alarm-facts.ts'
import type { DueMessage } from '../domain/alarms/due.ts'
import { filledIn, type ReasonCode, type ReasonText } from '../domain/overview/reasons.ts'
import { forwardingWords } from '../messages/forwarding-words.ts'
import { CATALOGUES, type Language } from '../messages/languages.ts'
import { sentenceOf } from '../messages/where.ts'
import { printable } from '../platform/control-characters.ts'
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
  const words = CATALOGUES[language].alarms
  const lines = {
    began: linesOf(began, options),
    ended: linesOf(ended, options),
    goingOn: linesOf(goingOn, options),
  }
  const countOf = (severity: AlarmLine['severity']) => lines.began.filter((one) => one.severity === severity).length
  const counts = [
    { count: countOf('problem'), words: words.problems },
    { count: countOf('warning'), words: words.warnings },
    { count: lines.ended.length, words: words.over },
    { count: lines.goingOn.length, words: words.goingOn },
  ]
  const summary = counts.flatMap((one) => (one.count > 0 ? [one.words(one.count)] : [])).join(', ')
  const title = `Portaria ${gateway}: ${summary}`
  const paragraphs = [
    title,
    ...(sumsUp === null ? [] : [words.quietEnd]),
    ...paragraphsOf(lines.began, null, options),
    ...paragraphsOf(lines.goingOn, words.labels.goingOn, options),
    ...paragraphsOf(lines.ended, words.labels.over, options),
    ...(lines.began.length + lines.goingOn.length === 0 ? [] : [words.howToMute(options.mutePage ?? null)]),
  ]
  return { gateway, at: now, isTest: false, title, text: paragraphs.join('\n\n'), ...lines }
}

export function testMessage({ language, gateway, now }: MessageOptions): AlarmMessage {
  const words = CATALOGUES[language].alarms
  const title = `Portaria ${gateway}: ${words.test}`
  const text = `${title}\n\n${words.testText}`
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
  const { text, nextStep } = textsOf(alarm, language)
  const subject = alarm.subject === '' ? null : printable(alarm.subject)
  const shown = detail === null ? null : forwardingWords(printable(detail), CATALOGUES[language])
  const filled = filledIn(text, { subject, value, detail: shown, until }, CATALOGUES[language].overview.details)
  const { waiting = null, oldest = null, lastAnswer = null, page = null } = additions?.get(keyOfAlarm(alarm)) ?? {}
  const answer = lastAnswer && { text: answerText(lastAnswer, language), at: lastAnswer.at }
  const common = { code, subject, severity, text: filled, nextStep, beganAt, endedAt, waiting, page }
  return { ...common, oldest: oldest && oldestText(oldest, language), lastAnswer: answer }
}

function oldestText(oldest: NonNullable<AlarmFacts['oldest']>, language: Language): AlarmLine['oldest'] {
  const names = oldest.names.map(printable)
  const { text, then } = sentenceOf({ ...oldest, names, nextAt: null }, CATALOGUES[language])
  return { text, then }
}

/** Never the body: a receiver may repeat there what it was sent. */
function answerText({ status, error }: LastAnswer, language: Language): string {
  if (status !== null || error === null) return `HTTP ${status}`
  return forwardingWords(printable(error), CATALOGUES[language]).slice(0, LONGEST_ANSWER)
}

const LONGEST_ANSWER = 300

function textsOf(alarm: Alarm, language: Language): ReasonText {
  const { alarms, overview } = CATALOGUES[language]
  return isNotice(alarm) ? alarms.notices[alarm.code as NoticeCode] : overview.reasons[alarm.code as ReasonCode]
}

function paragraphsOf(lines: readonly AlarmLine[], label: string | null, options: MessageOptions): string[] {
  const words = CATALOGUES[options.language].alarms
  const byCode = Map.groupBy(lines, ({ code }) => code)
  return [...byCode.values()].flatMap((same) => {
    const paragraphs = same.slice(0, WRITTEN).map((line) => paragraphOf(line, label, options))
    return same.length > WRITTEN ? [...paragraphs, words.more(same.length - WRITTEN)] : paragraphs
  })
}

function paragraphOf(line: AlarmLine, label: string | null, options: MessageOptions): string {
  const words = CATALOGUES[options.language].alarms
  const { severity, text, nextStep, beganAt, endedAt, waiting, oldest, lastAnswer, page, code } = line
  const timeOf = (time: number) => timeText(time, options)
  const withTimes = (words: string) =>
    words.replaceAll(new RegExp(TIMES_IN_TEXT, 'g'), (time) => timeOf(Date.parse(time)))
  return [
    `${label ?? words.labels[severity]}: ${withTimes(text)}`,
    endedAt === null ? words.since(timeOf(beganAt)) : words.lasted(timeOf(beganAt), timeOf(endedAt)),
    ...(waiting === null ? [] : [words.waiting(waiting, reais(waiting.cents, options.language))]),
    ...(oldest === null ? [] : [words.oldest(oldest.text, oldest.then)]),
    ...(lastAnswer === null ? [] : [words.lastAnswer(lastAnswer.text, timeOf(lastAnswer.at))]),
    ...(endedAt === null ? [words.nextStep(nextStep)] : []),
    ...(page === null ? [] : [words.page(page)]),
    `[${code}]`,
  ].join('\n')
}

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
