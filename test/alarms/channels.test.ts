import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AlarmFailure, Channel } from '../../src/alarms/channels/channel.ts'
import { createCommandChannel } from '../../src/alarms/channels/command.ts'
import { createEmailChannel } from '../../src/alarms/channels/email.ts'
import { createWebhookChannel } from '../../src/alarms/channels/webhook.ts'
import type { WebhookFormat } from '../../src/alarms/channels/webhook-formats.ts'
import { createNameResolver } from '../../src/delivery/name-resolver.ts'
import { failureDetail } from '../../src/domain/alarms/failure.ts'
import type { SmtpServer } from '../../src/domain/alarms/smtp-server.ts'
import { addressReader } from '../../src/gateway/alarms/alarm-address.ts'
import { createAlarmHttp, createAlarmMail } from '../../src/gateway/alarms/alarm-http.ts'
import { issuePair, issuePairs } from '../support/issued-pairs.ts'
import { MAIL_PASSWORD, MAIL_USER, startMailServer } from '../support/mail-server.ts'
import { reservePort } from '../support/ports.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { aMessage, anAlarm } from './messages.ts'

const resolve = createNameResolver()
const NEVER = new AbortController().signal
const whyNot = (channel: Channel, message = aMessage(), signal = NEVER) =>
  channel.send(message, signal).then(
    () => null,
    (error: AlarmFailure) => failureDetail(error),
  )

describe('e-mail', () => {
  const mailTo = (smtp: Partial<SmtpServer>, connect = createAlarmMail(resolve), greetingMs?: number) =>
    createEmailChannel({
      name: 'mail',
      to: ['ops@example.com', 'boss@example.com'],
      from: 'portaria@example.com',
      connect,
      ...(greetingMs !== undefined && { greetingMs }),
      smtp: {
        host: '127.0.0.1',
        port: 0,
        isImplicitTls: false,
        authorities: null,
        userFile: null,
        passwordFile: null,
        ...smtp,
      },
    })

  function fileWith(content: string): string {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, `${content}\n`, { mode: 0o600 })
    return file
  }

  it('goes to every address by STARTTLS, with user and password, once the certificate was checked', async () => {
    const { authority, server: pair } = await issuePairs()
    const server = await startMailServer(pair, { hasUsers: true })
    const authorities = fileWith(authority.cert)
    const login = { userFile: fileWith(MAIL_USER), passwordFile: fileWith(MAIL_PASSWORD) }
    const message = aMessage([anAlarm()], [], { language: 'pt' })

    expect(await whyNot(mailTo({ port: server.port, authorities, ...login }), message)).toBeNull()

    expect(server.mails).toMatchObject([
      {
        from: 'portaria@example.com',
        to: ['ops@example.com', 'boss@example.com'],
        user: MAIL_USER,
        isSecure: true,
      },
    ])
    const text = server.mails[0]?.text ?? ''
    expect(text).toContain('Auto-Submitted: auto-generated')
    expect(text).toContain('Subject: Portaria gw-1: 1 problema')
    expect(text).toContain('PROBLEMA: o destino books continua falhando')
    expect(text).toContain('Próximo passo: a página do destino mostra as últimas respostas')
  })

  it('has no header that came with a line break in what a payload or a receiver said', async () => {
    const server = await startMailServer(null)
    const broken = 'books\r\nBcc: thief@example.com\r\n\r\n<b>body</b>'
    const alarm = anAlarm({ subject: broken, detail: broken })
    const message = { ...aMessage([alarm], [alarm]), title: `Portaria gw-1: ${broken}` }
    expect(await whyNot(mailTo({ port: server.port }), message)).toBeNull()
    const [{ text, to } = { text: '', to: [] }] = server.mails
    const [headers = ''] = text.split(/\r?\n\r?\n/)
    expect(headers).not.toMatch(/^bcc:/im)
    expect(headers).toMatch(/^Subject: Portaria gw-1: books Bcc: thief@example\.com/m)
    expect(to).toEqual(['ops@example.com', 'boss@example.com'])
  })

  it('goes only where STARTTLS is offered and the certificate is trusted, or by TLS from the start', async () => {
    const { authority, server: pair } = await issuePairs()
    const authorities = fileWith(authority.cert)
    const foreign = await startMailServer(await issuePair('foreign'))
    const plain = await startMailServer(null)
    expect(await whyNot(mailTo({ port: foreign.port, authorities }))).toMatch(
      /^certificate_untrusted: self-signed certificate/,
    )
    expect(await whyNot(mailTo({ port: plain.port, authorities }))).toMatch(/^tls_missing/)
    const implicit = await startMailServer(pair, { isImplicit: true })
    expect(await whyNot(mailTo({ port: implicit.port, isImplicitTls: true }))).toMatch(
      /^certificate_untrusted: .*certificate/,
    )
    expect(await whyNot(mailTo({ port: implicit.port, isImplicitTls: true, authorities }))).toBeNull()
    expect(implicit.mails).toMatchObject([{ isSecure: true }])
    expect([...foreign.mails, ...plain.mails]).toEqual([])
  })

  it('goes to the next address of a name where one refuses the connection', async () => {
    const server = await startMailServer(null)
    const connect = createAlarmMail(async () => ['127.0.0.9', '127.0.0.1'])
    expect(await whyNot(mailTo({ host: 'localhost', port: server.port }, connect))).toBeNull()
    expect(server.mails).toHaveLength(1)
  })

  it('names TLS from the start where the server waits for it, and where it does not speak it', async () => {
    const { authority, server: pair } = await issuePairs()
    const authorities = fileWith(authority.cert)
    const later = await startMailServer(pair)
    expect(await whyNot(mailTo({ port: later.port, isImplicitTls: true, authorities }))).toBe('tls_later')
    const implicit = await startMailServer(pair, { isImplicit: true })
    const waiting = mailTo({ port: implicit.port, authorities }, createAlarmMail(resolve), 100)
    expect(await whyNot(waiting)).toBe('greeting_missing')
  })

  it('goes without TLS to a server of the same machine that no authority is configured for', async () => {
    const server = await startMailServer(null)
    expect(await whyNot(mailTo({ port: server.port }))).toBeNull()
    expect(server.mails).toHaveLength(1)
  })

  it('says what the server refuses, what cannot be reached and which file cannot be read, without the password', async () => {
    const { authority, server: pair } = await issuePairs()
    const server = await startMailServer(pair, { hasUsers: true })
    const authorities = fileWith(authority.cert)
    const wrong = { userFile: fileWith('someone'), passwordFile: fileWith('wrong-password-91bd') }
    const words = await whyNot(mailTo({ port: server.port, authorities, ...wrong }))
    expect(words).toMatch(/^login_refused: 535/)
    expect(words).not.toContain('wrong-password-91bd')
    expect(await whyNot(mailTo({ port: server.port, authorities: '/nowhere/ca.pem' }))).toBe(
      'file_unusable: smtp.authorities: ENOENT',
    )
    expect(await whyNot(mailTo({ port: await reservePort() }))).toBe('unreachable: ECONNREFUSED')
    const open = await startMailServer(null)
    open.refuse('mailbox is full')
    expect(await whyNot(mailTo({ port: open.port }))).toMatch(/^recipient_refused: .*mailbox is full/)
    open.refuse('greylisted, try later', 451)
    expect(await whyNot(mailTo({ port: open.port }))).toMatch(/^mail_refused: .*greylisted, try later/)
  })

  it('is given up at the time limit where the server says nothing', async () => {
    const { port, connected } = await startSilentServer()
    const limit = new AbortController()
    const why = whyNot(mailTo({ port }), aMessage(), limit.signal)
    await connected
    limit.abort()
    expect(await why).toBe('timed_out')
  })
})

describe('a webhook', () => {
  const send = createAlarmHttp(resolve)

  async function posted(format: WebhookFormat, message = aMessage(), path = '/hook') {
    const receiver = await startReceiver()
    const url = new URL(path, receiver.url).href
    expect(await whyNot(createWebhookChannel({ name: 'hook', readUrl: () => url, format, send }), message)).toBeNull()
    const [request] = receiver.received
    expect(request?.headers['content-type']).toBe('application/json; charset=utf-8')
    return { path: request?.path, body: JSON.parse(String(request?.body)) }
  }

  const nasty = aMessage([anAlarm({ subject: '<!channel> @everyone *a* & b' })])

  it('of Slack gets a text that mentions no user', async () => {
    const { body } = await posted('slack', nasty)
    expect(body).toEqual({ text: expect.any(String), mrkdwn: false, unfurl_links: false })
    expect(body.text).toContain('&lt;!channel&gt; @everyone *a* &amp; b')
  })

  it('of Discord gets at most 2000 characters, and mentions no user', async () => {
    const many = Array.from({ length: 5 }, (_, index) => anAlarm({ subject: `${index}-${'x'.repeat(400)}` }))
    const { body } = await posted('discord', aMessage(many))
    expect(body.allowed_mentions).toEqual({ parse: [] })
    expect(body.content.length).toBeLessThanOrEqual(2000)
    expect(body.content).toMatch(/…$/)
  })

  it('of Telegram gets the chat of the query in the body', async () => {
    const { path, body } = await posted('telegram', nasty, '/bot12:secret/sendMessage?chat_id=-100&message_thread_id=4')
    expect(path).toBe('/bot12:secret/sendMessage')
    expect(body).toEqual({
      chat_id: '-100',
      message_thread_id: '4',
      text: nasty.text,
      link_preview_options: { is_disabled: true },
    })
  })

  it('of Teams gets an Adaptive Card whose text formats nothing', async () => {
    const { body } = await posted('teams', nasty)
    const [{ contentType, content }] = body.attachments
    expect([body.type, contentType, content.type]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      'AdaptiveCard',
    ])
    expect(content.body[0]).toMatchObject({ type: 'TextBlock', text: 'Portaria gw-1: 1 problem', wrap: true })
    expect(content.body[1].text).toContain('<!channel> @everyone \\*a\\* & b')
  })

  it('of your own gets every fact as JSON', async () => {
    const over = anAlarm({ code: 'space_short', subject: '', severity: 'warning', endedAt: anAlarm().beganAt + 1000 })
    const message = aMessage([anAlarm()], [over])
    const { body } = await posted('json', message)
    expect(body).toEqual({
      gateway: 'gw-1',
      at: '2026-01-15T12:01:00.000Z',
      isTest: false,
      title: 'Portaria gw-1: 1 problem, 1 over',
      text: message.text,
      began: [
        {
          code: 'circuit_open',
          subject: 'books',
          severity: 'problem',
          text: 'the destination books keeps failing: the gateway tries it from time to time',
          nextStep: expect.stringContaining('its page has the last answers'),
          beganAt: '2026-01-15T12:00:00.000Z',
          endedAt: null,
          waiting: null,
          oldest: null,
          lastAnswer: null,
          page: null,
        },
      ],
      ended: [expect.objectContaining({ code: 'space_short', subject: null, endedAt: '2026-01-15T12:00:01.000Z' })],
      goingOn: [],
    })
  })

  it('that refuses or cannot be reached is a failure in words without its address', async () => {
    const receiver = await startReceiver()
    receiver.answer(403)
    const url = `http://127.0.0.1:${receiver.port}/services/T000/B000/very-secret-token`
    expect(await whyNot(createWebhookChannel({ name: 'hook', readUrl: () => url, format: 'slack', send }))).toBe(
      'webhook_refused: 403: thanks',
    )
    await receiver.stop()
    const words = await whyNot(createWebhookChannel({ name: 'hook', readUrl: () => url, format: 'slack', send }))
    expect(words).toBe('unreachable: ECONNREFUSED')
    expect(words).not.toContain('very-secret-token')
  })
})

describe('a webhook that does not take a message', () => {
  const send = createAlarmHttp(resolve)
  const hookAt = (url: string) => createWebhookChannel({ name: 'hook', readUrl: () => url, format: 'json', send })

  it('is not followed where it redirects', async () => {
    const [first, second] = [await startReceiver(), await startReceiver()]
    for (const status of [301, 302, 307, 308]) {
      first.answer(status, { location: second.url })
      expect(await whyNot(hookAt(first.url))).toBe(`webhook_redirects: ${status}: thanks`)
    }
    expect(second.received).toEqual([])
  })

  it.each([
    [429, 'webhook_busy: 429: thanks'],
    [404, 'webhook_unknown: 404: thanks'],
    [410, 'webhook_unknown: 410: thanks'],
    [400, 'webhook_refused: 400: thanks'],
    [503, 'webhook_failing: 503: thanks'],
  ])('fails with a reason for the status %i', async (status, why) => {
    const receiver = await startReceiver()
    receiver.answer(status)
    expect(await whyNot(hookAt(receiver.url))).toBe(why)
  })

  it.each([
    ['{"ok":false,"parameters":{"retry_after":240}}', {}, '240'],
    ['{"message":"You are being rate limited.","retry_after":64.57}', {}, '65'],
    ['{"parameters":{"retry_after":240}}', { 'retry-after': '300' }, '300'],
    ['{"parameters":{"retry_after":"soon"}}', {}, undefined],
    ['thanks', {}, undefined],
  ])('has the wait that its service asks for: %s', async (answer, headers, wait) => {
    const receiver = await startReceiver()
    receiver.answer(429, headers, answer)
    const failure = await hookAt(receiver.url)
      .send(aMessage(), NEVER)
      .catch((error: AlarmFailure) => error)
    expect(failure).toMatchObject({ code: 'webhook_busy', retryAfter: wait })
  })

  it('is given up at the time limit where it does not answer', async () => {
    const { port, connected } = await startSilentServer()
    const limit = new AbortController()
    const why = whyNot(hookAt(`http://127.0.0.1:${port}/secret-of-the-hook`), aMessage(), limit.signal)
    await connected
    limit.abort()
    expect(await why).toBe('timed_out')
  })
})

/** Takes connections and never says a word. */
async function startSilentServer(): Promise<{ readonly port: number; readonly connected: Promise<void> }> {
  const sockets = new Set<Socket>()
  const first = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    first.resolve()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connected: first.promise }
}

describe('an address in a file', () => {
  const send = createAlarmHttp(resolve)
  const channelOf = (urlFile: string, format: 'slack' | 'telegram' = 'slack') =>
    createWebhookChannel({
      name: 'hook',
      readUrl: addressReader({ url: null, urlFile, key: 'webhookFile', format }, 'production'),
      format,
      send,
    })

  it('is read for each message, so that a renewed one needs no reload', async () => {
    const [first, second] = [await startReceiver(), await startReceiver()]
    const file = join(temporaryFolder(), 'url')
    const channel = channelOf(file)
    expect(await whyNot(channel)).toBe('file_unusable: webhookFile: ENOENT')
    for (const { url } of [first, second]) {
      writeFileSync(file, `${url}\n`)
      expect(await whyNot(channel)).toBeNull()
    }
    expect([first.received.length, second.received.length]).toEqual([1, 1])
  })

  it.each([
    ['slack', 'http://chat.example/very-secret', /must be an https address/],
    ['slack', 'very-secret', /must be an https address/],
    ['telegram', 'https://api.telegram.org/botvery-secret/sendMessage', /must end with \?chat_id=/],
  ] as const)('that cannot be one (%s) is a failure that does not repeat it', async (format, content, words) => {
    const file = join(temporaryFolder(), 'url')
    writeFileSync(file, content)
    const why = await whyNot(channelOf(file, format))
    expect(why).toMatch(words)
    expect(why).not.toContain('very-secret')
  })
})

describe('a command', () => {
  function program(lines: string): { file: string; folder: string } {
    const folder = temporaryFolder()
    const file = join(folder, 'alarm.sh')
    writeFileSync(file, `#!/bin/sh\ncd '${folder}'\n${lines}\n`)
    chmodSync(file, 0o700)
    return { file, folder }
  }

  it('gets the text on its standard input, its arguments as they are and the facts in its environment, and no other', async () => {
    const { file, folder } = program('cat > text; env > environment; printf %s "$1" > argument')
    const message = aMessage([anAlarm(), anAlarm({ code: 'space_out', subject: '' })])
    expect(await whyNot(createCommandChannel({ name: 'run', command: [file, '$(touch x) "a b"'] }), message)).toBeNull()
    expect(readFileSync(join(folder, 'text'), 'utf8')).toBe(`${message.text}\n`)
    expect(readFileSync(join(folder, 'argument'), 'utf8')).toBe('$(touch x) "a b"')
    const environment = readFileSync(join(folder, 'environment'), 'utf8').trim().split('\n')
    expect(environment).toContain('PORTARIA_ALARM_BEGAN=circuit_open space_out')
    expect(environment).toContain('PORTARIA_ALARM_SEVERITY=problem')
    expect(environment.filter((one) => !/^(PORTARIA_ALARM_\w+|PATH|LANG|PWD|OLDPWD|SHLVL|_)=/.test(one))).toEqual([])
  })

  it('that fails says why; one that cannot be started, too', async () => {
    const { file } = program('echo "no pager" >&2; exit 3')
    expect(await whyNot(createCommandChannel({ name: 'run', command: [file] }))).toBe(
      'program_failed: exit code 3: no pager',
    )
    expect(await whyNot(createCommandChannel({ name: 'run', command: ['/nowhere/alarm'] }))).toBe(
      'program_missing: ENOENT',
    )
  })

  it('that has ended is not waited for where it left something running, which goes on', async () => {
    const left =
      '(while [ -e alarm.sh ] && [ ! -e go ]; do sleep 0.1; done; echo late >&2; echo $? > written) & echo $! > child'
    const { file, folder } = program(`${left}; exit "$1"`)
    const run = (code: string) => whyNot(createCommandChannel({ name: 'run', command: [file, code] }))
    expect([await run('0'), await run('3')]).toEqual([null, 'program_failed: exit code 3'])
    expect(hasEnded(Number(readFileSync(join(folder, 'child'), 'utf8')))).toBe(false)
    writeFileSync(join(folder, 'go'), '')
    await until(() => existsSync(join(folder, 'written')) && readFileSync(join(folder, 'written'), 'utf8') === '0\n')
  })

  it('that does not end is killed, with what it has started', async () => {
    const { file, folder } = program('sleep 1000 & echo $! > child; wait')
    const limit = new AbortController()
    const sent = createCommandChannel({ name: 'run', command: [file] }).send(aMessage(), limit.signal)
    const child = await until(() => {
      try {
        return Number(readFileSync(join(folder, 'child'), 'utf8'))
      } catch {
        return 0
      }
    })
    limit.abort()
    await expect(sent).rejects.toThrow(/killed/)
    await until(() => hasEnded(child))
  })
})

/** A killed process without a parent that waits for it stays as a zombie. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}
