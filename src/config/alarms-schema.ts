import { z } from 'zod'
import { isLoopback } from '../platform/loopback.ts'
import { duration, field, host, name, oneOf, port, text } from './fields.ts'
import type { Named } from './named.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

type Section = Named<z.output<ReturnType<typeof alarmsSchema>>>

const ALARM_FORMATS = ['slack', 'teams', 'telegram', 'discord', 'json'] as const
export type AlarmFormat = (typeof ALARM_FORMATS)[number]

const MOST_CHANNELS = 20

/** The section `alarms`. Files are read when they are used: a password that cannot be read must not stop receiving. */
export function alarmsSchema(files: FileFields) {
  return z
    .strictObject({
      language: oneOf(['en', 'pt']).prefault('en'),
      group: duration({ min: '0s', max: '1h' }).prefault('30s'),
      quietHours: z.strictObject({ from: timeOfDay, to: timeOfDay, timeZone }).optional(),
      /** Counts as a secret; null: none is sent, or its file has it. */
      heartbeat: address.optional(),
      /** Read for each beat. */
      heartbeatFile: files.path('the path of a file with an https address').optional(),
      heartbeatEvery: duration({ min: '5s', max: '1d' }).prefault('1m'),
      channels: z.array(channelSchema(files)).max(MOST_CHANNELS, `must be at most ${MOST_CHANNELS}`).prefault([]),
    })
    .superRefine(...reportOn(checkChannelNames))
    .superRefine(...reportOn(checkQuietHours))
    .superRefine(...reportOn(checkHeartbeat))
}

/** Minutes since midnight. */
const timeOfDay = field<number>('a time of day in quotes, such as "22:00"', (value) => {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(value)) ?? []
  // YAML 1.1 reads 22:00 without quotes as a number.
  return typeof value === 'string' && hour !== undefined
    ? { value: Number(hour) * 60 + Number(minute) }
    : { problem: 'must be a time of day in quotes, such as "22:00"' }
})

const timeZone = text('a time zone such as America/Sao_Paulo', (value) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return null
  } catch {
    return 'must be a time zone of the IANA list, such as America/Sao_Paulo'
  }
})

const HTTPS = 'must be an https address, such as https://hooks.example.com/services/T0/B0/secret'

/** It counts as a secret: what posts to it needs nothing else. Whether plain http will do is checked with the mode. */
const address = text('an https address', problemOfAddress)

/** Why a text is no address of alarms; null: it is one. */
function problemOfAddress(value: string): string | null {
  if (!/^[!-~]+$/.test(value) || !URL.canParse(value)) return HTTPS
  const { protocol, username, password } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return HTTPS
  return username === '' && password === '' ? null : 'must have no user and no password in front of its host'
}

const mailbox = text('an e-mail address such as team@example.com', (value) =>
  /^[^\s@<>,;:"()[\]\\]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value)
    ? null
    : 'must be one e-mail address such as team@example.com, without a name',
)

/** One address or a list of them. */
const mailboxes = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(mailbox).min(1, 'is empty: write an e-mail address').max(20, 'must be at most 20'),
)

/** A program, or a list of it and its arguments. */
const command = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z
    .array(text('a program or one of its arguments'))
    .min(1, 'is empty: write the path of a program')
    .refine(([program]) => program?.startsWith('/') !== false, {
      message: 'must begin with the whole path of a program, such as /usr/local/bin/alarm; arguments are further items',
    }),
)

function channelSchema(files: FileFields) {
  return z
    .strictObject({
      name: name('a name such as team'),
      email: mailboxes.optional(),
      from: mailbox.optional(),
      smtp: z
        .strictObject({
          host,
          port: port.prefault(587),
          implicitTls: z.boolean('must be true or false').optional(),
          authorities: files.path("the path of a PEM file with the CAs of the server's certificate").optional(),
          userFile: files.path('the path of a file with the name of the user').optional(),
          passwordFile: files.path('the path of a file with the password').optional(),
        })
        .superRefine(...reportOn(checkSmtpUser))
        .optional(),
      /** Counts as a secret; null: its file has it. */
      webhook: address.optional(),
      /** Read for each message. */
      webhookFile: files.path('the path of a file with the https address').optional(),
      format: oneOf(ALARM_FORMATS).optional(),
      command: command.optional(),
    })
    .superRefine(...reportOn(checkChannel))
}

const WAYS = ['email', 'webhook', 'command'] as const
const CHAT = 'must end with ?chat_id= and the id of the chat: https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID'
const KEYS_OF: Readonly<Record<string, (typeof WAYS)[number]>> = { from: 'email', smtp: 'email', format: 'webhook' }

function checkChannel(channel: unknown, report: ReportProblem): void {
  if (typeof channel !== 'object') return
  const has = (way: string) => at(channel, way) !== undefined || at(channel, `${way}File`) !== undefined
  const ways = WAYS.filter(has)
  if (at(channel, 'webhook') !== undefined && at(channel, 'webhookFile') !== undefined)
    report(['webhookFile'], 'is there beside webhook: remove one of them')
  if (ways.length !== 1) {
    report([], 'must have exactly one of email, webhook and command')
    return
  }
  for (const [key, way] of Object.entries(KEYS_OF)) {
    if (ways[0] !== way && at(channel, key) !== undefined) report([key], `is for a channel with ${way}: remove it`)
    if (ways[0] === way && at(channel, key) === undefined) report([key], `is missing: a channel with ${way} needs it`)
  }
  const [format, webhook] = [at(channel, 'format'), at(channel, 'webhook')]
  if (format === 'telegram' && typeof webhook === 'string' && URL.canParse(webhook))
    if (!new URL(webhook).searchParams.has('chat_id')) report(['webhook'], CHAT)
}

function checkHeartbeat(alarms: unknown, report: ReportProblem): void {
  if (at(alarms, 'heartbeat') !== undefined && at(alarms, 'heartbeatFile') !== undefined)
    report(['heartbeatFile'], 'is there beside heartbeat: remove one of them')
}

/** Why the content of a file is no address that alarms may be sent to; null: it is one. Does not repeat it. */
export function problemOfAlarmAddress(
  text: string,
  { format, mode }: { readonly format: AlarmFormat | null; readonly mode: string },
): string | null {
  const problem = problemOfAddress(text)
  if (problem !== null) return problem
  if (mode !== 'development' && isPlainOutside(text)) return HTTPS
  return format === 'telegram' && !new URL(text).searchParams.has('chat_id') ? CHAT : null
}

function isPlainOutside(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

function checkSmtpUser(smtp: unknown, report: ReportProblem): void {
  const [user, password] = [at(smtp, 'userFile'), at(smtp, 'passwordFile')]
  if (user !== undefined && password === undefined) report(['passwordFile'], 'is missing: a user needs a password')
  if (user === undefined && password !== undefined) report(['userFile'], 'is missing: the password needs its user')
}

function checkChannelNames(alarms: unknown, report: ReportProblem): void {
  const channels = at(alarms, 'channels')
  const seen = new Set<unknown>()
  for (const [index, channel] of (Array.isArray(channels) ? channels : []).entries()) {
    const name = at(channel, 'name')
    if (name !== undefined && seen.has(name)) report(['channels', index, 'name'], 'is the name of a channel above')
    seen.add(name)
  }
}

function checkQuietHours(alarms: unknown, report: ReportProblem): void {
  const [from, to] = [at(alarms, 'quietHours', 'from'), at(alarms, 'quietHours', 'to')]
  if (from !== undefined && from === to) report(['quietHours', 'to'], 'must differ from `from`')
}

/** Addresses of alarms must be https, unless nothing leaves this machine or it is a development. */
export function checkAlarmAddresses(config: unknown, report: ReportProblem): void {
  if (at(config, 'mode') === 'development') return
  const channels = at(config, 'alarms', 'channels')
  const all: [(string | number)[], unknown][] = [
    [['alarms', 'heartbeat'], at(config, 'alarms', 'heartbeat')],
    ...(Array.isArray(channels) ? channels : []).map((channel, index): [(string | number)[], unknown] => [
      ['alarms', 'channels', index, 'webhook'],
      at(channel, 'webhook'),
    ]),
  ]
  for (const [path, url] of all) {
    if (typeof url !== 'string' || !URL.canParse(url)) continue
    if (isPlainOutside(url)) report(path, HTTPS)
  }
}

export function toAlarms({ quietHours, channels, ...alarms }: Section) {
  return {
    ...alarms,
    quietHours: quietHours && {
      fromMinute: quietHours.from,
      toMinute: quietHours.to,
      timeZone: quietHours.timeZone,
    },
    channels: channels.map(toChannel),
  }
}

/** RFC 8314 section 7.3. */
const IMPLICIT_TLS_PORT = 465

function toChannel({ name, email, from, smtp, webhook, webhookFile, format, command }: Section['channels'][number]) {
  if (command !== null) return { name, kind: 'command' as const, command }
  if (smtp === null)
    return { name, kind: 'webhook' as const, url: webhook, urlFile: webhookFile, format: format ?? 'json' }
  const { implicitTls, ...server } = smtp
  const isImplicitTls = implicitTls ?? server.port === IMPLICIT_TLS_PORT
  return { name, kind: 'email' as const, to: email ?? [], from: from ?? '', smtp: { ...server, isImplicitTls } }
}
