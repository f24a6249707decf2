import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { generate } from 'selfsigned'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { NameFailure } from '../../src/delivery/name-resolver.ts'
import type { AttemptResult } from '../../src/delivery/send.ts'
import type { Destination } from '../../src/domain/destination.ts'
import { loopText } from '../../src/domain/forwarding/forwarding-loop.ts'
import { reservePort } from '../support/ports.ts'
import { certificateFor, SECRET, startHttp, startRaw, startTls } from './receiver.ts'
import { answerAfterRequest, answerWithoutEnd, aSender, failed, NAME, send, succeeded } from './sending.ts'

describe('the answer', () => {
  test.each([200, 201, 204, 299])('HTTP %i is a success', async (status) => {
    const receiver = await startHttp((response) => response.writeHead(status).end())
    expect(await send(receiver.port)).toEqual(succeeded('', status))
  })

  test.each([304, 400, 410, 500, 503])(
    'HTTP %i is a failure, in words and with the answer’s beginning',
    async (status) => {
      const receiver = await startHttp((response) => response.writeHead(status).end(status === 304 ? '' : 'no'))
      const answer = Buffer.from(status === 304 ? '' : 'no')
      expect(await send(receiver.port)).toMatchObject({ status, error: `answered HTTP ${status}`, answer })
    },
  )

  test.each([
    [loopText('portaria-test'), /^the destination leads back to this gateway's own listener \(HTTP 508\)/],
    [
      loopText('portaria-another'),
      /^answered HTTP 508: the destination leads back to a system that this event has passed$/,
    ],
  ])('HTTP 508 with %j says where the destination leads', async (text, words) => {
    const receiver = await startHttp((response) => response.writeHead(508).end(text))
    expect(await send(receiver.port)).toMatchObject({ status: 508, error: expect.stringMatching(words) })
  })

  test('hands Retry-After up', async () => {
    const receiver = await startHttp((response) => response.writeHead(503, { 'retry-after': '120' }).end())
    expect(await send(receiver.port)).toMatchObject({ status: 503, retryAfter: '120' })
  })

  test('that redirects is a failure, and is not followed', async () => {
    const other = await startHttp()
    const location = `http://${NAME}:${other.port}/`
    const receiver = await startHttp((response) => response.writeHead(302, { location }).end())
    const error = expect.stringContaining(`redirect to ${location} is not followed (HTTP 302): `)
    expect(await send(receiver.port)).toMatchObject({ status: 302, error })
    expect(other.sockets).toEqual([])
  })

  test.each([
    ['/hook/', 'http://hooks.example.com/hook/'],
    ['?page=2', 'http://hooks.example.com/in?page=***'],
    ['//other.example.com/\u00e9', 'http://other.example.com/'],
    ['https://user:password@other.example.com/', 'https://other.example.com/'],
    [`/${'a'.repeat(8000)}`, `http://hooks.example.com/${'a'.repeat(100)}`],
    ['http://[', 'an address that is none'],
  ])('that redirects to %.40j says the whole address, bounded: %.60s', async (location, shown) => {
    const head = Buffer.from(`HTTP/1.1 301 Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`, 'latin1')
    const receiver = await startRaw(answerAfterRequest(head))
    const { error } = (await send(receiver.port)) as AttemptResult
    const words = error?.replace(`${NAME}:${receiver.port}`, NAME) ?? ''
    expect(words.slice(0, `redirect to ${shown}`.length)).toBe(`redirect to ${shown}`)
    expect(error?.length).toBeLessThan(400)
  })

  test.each([200, 401, 301, 500])('with %i that repeats the whole request has none of its secrets', async (status) => {
    const headers = [
      ['authorization', 'Bearer 0123456789abcdefghijkl'],
      ['x-api-key', 'k3y-with-twenty-chars'],
    ] as const
    const { promise: asked, resolve } = Promise.withResolvers<string[]>()
    const receiver = await startRaw((socket) => {
      socket.once('data', (data) => {
        const echo = data.toString('latin1')
        resolve([/v1,(.+)\r/.exec(echo)?.[1] ?? ''])
        const location = `/${encodeURIComponent(echo.replaceAll('\r\n', ' '))}`
        socket.end(
          `HTTP/1.1 ${status} ${echo.slice(0, 100).replaceAll('\r\n', ' ')}\r\nlocation: ${location}\r\n\r\n${echo}`,
        )
      })
    })
    const result = (await send(receiver.port, { destination: { headers, secrets: [SECRET] } })) as AttemptResult
    const said = `${result.error} ${Buffer.from(result.answer)}`
    const secrets = [...(await asked), ...headers.map(([, value]) => value), SECRET]
    expect(secrets.every((secret) => secret.length > 15)).toBe(true)
    expect(secrets.filter((secret) => said.includes(secret.slice(0, 16)) || said.includes(secret.slice(-16)))).toEqual(
      [],
    )
    expect(Buffer.from(result.answer).toString()).toMatch(/^POST \/in\?shop=1 [\s\S]*x-api-key: \*\*\*/)
  })

  test('is not decompressed', async () => {
    const packed = gzipSync('x'.repeat(10_000))
    const receiver = await startHttp((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    expect(await send(receiver.port)).toMatchObject({ status: 200, answer: packed })
  })

  test('may come after any number of early hints', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
    const last = 'HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n'
    const receiver = await startRaw(answerAfterRequest(early + early + last))
    expect(await send(receiver.port)).toEqual(succeeded('', 201))
  })

  test('that is only an early hint is none', async () => {
    const receiver = await startRaw(answerAfterRequest('HTTP/1.1 103 Early Hints\r\n\r\n'))
    expect(await send(receiver.port)).toMatchObject(failed('the connection broke before an answer came'))
  })

  test.each([
    ['200 OK', null],
    ['500 Oops', 'answered HTTP 500'],
  ])('without end (%s) is read up to 64 KiB, of which 1 KiB is kept', async (status, error) => {
    const receiver = await startRaw(answerWithoutEnd(status, Buffer.alloc(32 * 1024, 'a'), 1))
    const sender = aSender({ answerLimitMs: 60_000 })
    const result = await send(receiver.port, { sender, destination: { timeoutMs: 60_000 } })
    expect(result).toMatchObject({ error, answer: Buffer.alloc(1024, 'a') })
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('that dribbles is read for a short while only, and is a success', async () => {
    const receiver = await startRaw(answerWithoutEnd('200 OK', Buffer.from('a'), 5))
    const sender = aSender({ answerLimitMs: 50 })
    const result = await send(receiver.port, { sender, destination: { timeoutMs: 60_000 } })
    expect(result).toMatchObject({ status: 200, error: null })
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('that dribbles beyond the attempt’s time limit is a success all the same', async () => {
    const receiver = await startRaw(answerWithoutEnd('200 OK', Buffer.from('a'), 5))
    const sender = aSender({ answerLimitMs: 60_000 })
    // Long enough for the status to come in time on a busy machine.
    expect(await send(receiver.port, { sender, destination: { timeoutMs: 500 } })).toMatchObject({
      status: 200,
      error: null,
    })
  })

  test('that came in time counts, also where this thread was busy until after the time limit', async () => {
    const timeoutMs = 1000
    const receiver = await startHttp((response) => {
      response.end('ok')
      // Sent, and not yet read: both ends are in this thread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs + 100)
    })
    expect(await send(receiver.port, { destination: { timeoutMs } })).toEqual(succeeded('ok'))
  })

  test('that breaks off after its headers is a success', async () => {
    const receiver = await startRaw(answerAfterRequest('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'))
    expect(await send(receiver.port)).toEqual(succeeded('half'))
    expect(receiver.sockets.length).toBe(1)
  })

  test.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', /^the answer is not HTTP\/1\.1: /],
    ['HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n', /^the answer is not HTTP\/1\.1$/],
    ['HTTP/1.1 2', /^the connection broke before an answer came$/],
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', /HTTP 100 or 101/],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', /HTTP 100 or 101/],
    [`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`, /^the answer's headers are too long$/],
  ])('that is no answer is a failure, and is not asked for again: %.20s', async (text, error) => {
    const receiver = await startRaw(answerAfterRequest(text))
    expect(await send(receiver.port)).toMatchObject({ status: null, error: expect.stringMatching(error) })
    expect(receiver.sockets.length).toBe(1)
  })

  test('that does not come in time is a failure, tried once, its connection closed', async () => {
    const receiver = await startRaw((socket) => void socket.resume())
    const result = await send(receiver.port, { destination: { timeoutMs: 100 } })
    expect(result).toMatchObject(failed('no answer within 0.1 s'))
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('whose headers dribble is cut off at the time limit', async () => {
    const receiver = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      const timer = setInterval(() => socket.write('a'), 5)
      socket.once('close', () => clearInterval(timer))
    })
    const result = await send(receiver.port, { destination: { timeoutMs: 100 } })
    expect(result).toMatchObject({ status: null, error: expect.any(String) })
  })
})

describe('tries within one attempt', () => {
  const hangUp = (socket: Socket) => void socket.end()
  const reset = (socket: Socket) => void socket.resetAndDestroy()

  test.each([
    ['closed', hangUp],
    ['reset', reset],
  ])('a connection %s before any answer is tried again, twice at most', async (_how, breakOff) => {
    const answer = answerAfterRequest('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    const recovering = await startRaw((socket, number) =>
      number > 2 ? answer(socket) : void socket.once('data', () => breakOff(socket)),
    )
    const broken = await startRaw((socket) => void socket.once('data', () => breakOff(socket)))
    expect(await send(recovering.port)).toEqual(succeeded(''))
    expect(await send(broken.port)).toMatchObject(failed('the connection broke before an answer came'))
    expect([recovering.sockets.length, broken.sockets.length]).toEqual([3, 3])
  })

  const missing = async (): Promise<string[]> => {
    throw new NameFailure('the name does not exist')
  }
  test.each([
    ['a refused connection is tried three times', async () => ['127.0.0.1'], 3, 'connection refused'],
    ['a name that does not resolve is tried once', missing, 1, 'the name does not exist'],
    ['a forbidden address is tried once', async () => ['127.0.0.1', '10.0.0.1'], 1, 'private network'],
  ])('%s', async (_title, answer, tries, text) => {
    const resolve = vi.fn(answer)
    const result = await send(await reservePort(), { sender: aSender({ resolve }) })
    expect(result).toMatchObject({ status: null, error: expect.stringContaining(text) })
    expect(resolve).toHaveBeenCalledTimes(tries)
  })

  test('an answer, good or bad, is never asked for again', async () => {
    const receiver = await startHttp((response) => response.writeHead(500).end())
    await send(receiver.port)
    expect(receiver.received.length).toBe(1)
  })

  test('all of them are under the one time limit', async () => {
    const receiver = await startRaw((socket, number) => void (number === 1 ? socket.end() : socket.resume()))
    const result = await send(receiver.port, { destination: { timeoutMs: 200 } })
    expect(result).toMatchObject(failed('no answer within 0.2 s'))
    expect(receiver.sockets.length).toBe(2)
  })

  test('a name whose servers are silent fails within the time limit, and says so', async () => {
    const sender = aSender({ resolve: () => new Promise(() => {}) })
    const result = await send(1, { sender, destination: { timeoutMs: 400 } })
    expect(result).toMatchObject(failed('the name servers did not answer within 0.3 s'))
  })
})

describe('TLS', () => {
  test('an https destination is reached when its certificate can be trusted, and not otherwise', async () => {
    const own = await certificateFor(NAME)
    const receiver = await startTls(own, answerAfterRequest('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const destination = { url: `https://${NAME}:${receiver.port}/` }
    const trusting = aSender({ tlsFor: () => ({ ca: own.cert }) })
    expect(await send(0, { sender: trusting, destination })).toEqual(succeeded(''))
    expect(await send(0, { destination })).toMatchObject({
      error: expect.stringMatching(
        /^TLS handshake failed: self-signed certificate; if a private authority .*destinations update dst_1 --ca FILE; /,
      ),
    })
    expect(receiver.sockets.length).toBe(2)
  })

  test('a certificate that cannot be trusted comes with what to do, for each reason', async () => {
    const own = await certificateFor(NAME)
    const textOf = async (options: TlsOptions, changes: Partial<Destination> = {}, name = NAME) => {
      const { port } = await startTls(options)
      const sender = aSender({ tlsFor: () => ({ ca: own.cert }) })
      const result = await send(0, { sender, destination: { url: `https://${name}:${port}/`, ...changes } })
      return (result as AttemptResult).error
    }
    const foreign = await certificateFor(NAME)
    expect(await textOf(foreign, { origin: 'configuration' })).toMatch(/name that authority: ca: FILE in its entry/)
    expect(await textOf(foreign, { authorities: own.cert })).toMatch(
      /the authorities given .*\(--ca FILE\) did not issue it/,
    )
    expect(await textOf(own, {}, 'other.example.com')).toMatch(/for other names: correct the destination's URL/)
    expect(await textOf({ ...own, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })).toMatch(/must speak TLS 1\.2 or 1\.3$/)
    expect(await textOf({ ...own, ALPNProtocols: ['h2'] })).toMatch(
      /; the destination takes no HTTP\/1\.1 at this port/,
    )
    const { port } = await startHttp()
    expect(await send(0, { destination: { url: `https://${NAME}:${port}/` } })).toMatchObject({
      error: expect.stringMatching(/the port does not speak TLS: correct the port, or http$/),
    })
  })

  test('an expired certificate is to be renewed', async () => {
    const dates = { notBeforeDate: new Date(0), notAfterDate: new Date(1e12) }
    const made = await generate([{ name: 'commonName', value: NAME }], { keyType: 'ec', algorithm: 'sha256', ...dates })
    const { port } = await startTls({ cert: made.cert, key: made.private })
    const sender = aSender({ tlsFor: () => ({ ca: made.cert }) })
    expect(await send(0, { sender, destination: { url: `https://${NAME}:${port}/` } })).toMatchObject({
      error:
        'TLS handshake failed: certificate has expired; renew the certificate at the destination, with its intermediates',
    })
  })

  test('a receiver that demands a client certificate says so', async () => {
    const own = await certificateFor(NAME)
    const receiver = await startTls({ ...own, requestCert: true, minVersion: 'TLSv1.3' })
    const sender = aSender({ tlsFor: () => ({ ca: own.cert }) })
    const result = await send(0, { sender, destination: { url: `https://${NAME}:${receiver.port}/` } })
    expect(result).toMatchObject({
      status: null,
      error: expect.stringMatching(/certificate required; the destination wants a client certificate/),
    })
  })
})

test('a request that cannot be made uses up no place: with other headers the next one is sent', async () => {
  const receiver = await startHttp()
  const sender = aSender()
  const destination = { concurrency: 1, timeoutMs: 1000 }
  const bad = { ...destination, headers: [['x', 'a\u0001b']] as const }
  const error = expect.stringMatching(/^the request cannot be made .*: correct the headers of destination/)
  for (let i = 0; i < 2; i++) expect(await send(receiver.port, { sender, destination: bad })).toMatchObject({ error })
  expect(await send(receiver.port, { sender, destination })).toEqual(succeeded('ok'))
})

test('a connection that breaks near the end of the time is not tried again: what would arrive then would count as failed', async () => {
  const receiver = await startRaw((socket, number) => {
    // The second try breaks 250 ms after the begin. A third would follow 200 ms later, beyond the time limit.
    const brokenAfterMs = number === 1 ? 0 : 200
    socket.once('data', () => setTimeout(() => socket.destroy(), brokenAfterMs))
  })
  const result = await send(receiver.port, { destination: { timeoutMs: 430 } })
  expect(result).toMatchObject({ status: null, error: 'the connection broke before an answer came' })
  expect(receiver.sockets).toHaveLength(2)
})

describe('giving up', () => {
  test('a signal ends the attempt without a result, and its connection', async () => {
    const controller = new AbortController()
    const receiver = await startRaw((socket) => void socket.once('data', () => controller.abort()))
    expect(await send(receiver.port, { signal: controller.signal })).toMatchObject({ aborted: true, hasBegun: true })
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('a signal that has come before ends the attempt before anything is sent', async () => {
    const receiver = await startHttp()
    expect(await send(receiver.port, { signal: AbortSignal.abort() })).toMatchObject({ aborted: true, hasBegun: false })
    expect(receiver.sockets).toEqual([])
  })

  test('a signal while the name is resolved or a retry waits ends the attempt at once', async () => {
    const controller = new AbortController()
    const resolving = aSender({ resolve: () => new Promise(() => queueMicrotask(() => controller.abort())) })
    expect(await send(1, { sender: resolving, signal: controller.signal })).toMatchObject({
      aborted: true,
      hasBegun: false,
    })
    const later = new AbortController()
    const refused = await startRaw((socket) => {
      socket.once('close', () => later.abort())
      socket.resetAndDestroy()
    })
    expect(await send(refused.port, { signal: later.signal })).toMatchObject({ aborted: true })
  })

  test('an attempt that was given up before its connection came about is never sent', async () => {
    const receiver = await startHttp()
    const controller = new AbortController()
    const found = Promise.withResolvers<string[]>()
    const sender = aSender({ resolve: () => found.promise })
    const destination = { concurrency: 1 }
    const sending = send(receiver.port, { sender, destination, signal: controller.signal })
    controller.abort()
    expect(await sending).toMatchObject({ aborted: true, hasBegun: false })
    found.resolve(['127.0.0.1'])
    expect(await send(receiver.port, { sender, destination })).toEqual(succeeded('ok'))
    expect(receiver.received.length).toBe(1)
  })

  test('an attempt whose name was found too late is never sent', async () => {
    const receiver = await startHttp()
    const found = Promise.withResolvers<string[]>()
    const sender = aSender({ resolve: () => found.promise })
    const destination = { concurrency: 1, timeoutMs: 400 }
    const late = await send(receiver.port, { sender, destination })
    expect(late).toMatchObject({ status: null, error: 'the name servers did not answer within 0.3 s' })
    found.resolve(['127.0.0.1'])
    // Its successor is the only one that arrives.
    await expect.poll(() => send(receiver.port, { sender, destination })).toMatchObject({ status: 200 })
    expect(receiver.received.length).toBe(1)
  })

  test('an attempt that another node may have taken over meanwhile is not sent behind its waits, nor tried again', async () => {
    const receiver = await startHttp()
    let isMine = true
    const found = Promise.withResolvers<string[]>()
    const sender = aSender({ resolve: () => found.promise })
    const sending = send(receiver.port, { sender, destination: { concurrency: 1 }, mayBegin: () => isMine })
    isMine = false
    found.resolve(['127.0.0.1'])
    expect(await sending).toMatchObject({ aborted: true, hasBegun: false })
    isMine = true
    const again = { sender, destination: { concurrency: 1 }, mayBegin: () => isMine }
    expect(await send(receiver.port, again)).toEqual(succeeded('ok'))
    expect(receiver.received.length).toBe(1)

    const breaking = await startRaw(
      (socket) =>
        void socket.once('data', () => {
          isMine = false
          socket.destroy()
        }),
    )
    expect(await send(breaking.port, { mayBegin: () => isMine })).toMatchObject({ aborted: true, hasBegun: true })
    expect(breaking.sockets.filter(({ bytesRead }) => bytesRead > 0)).toHaveLength(1)
  })

  test('an attempt whose time was over before its connection came about is never sent, also where no timer has fired since', async () => {
    const receiver = await startHttp()
    const sender = aSender({
      async resolve() {
        // As a frozen process, which goes on where it was.
        const wakesAt = performance.now() + 300
        while (performance.now() < wakesAt);
        return ['127.0.0.1']
      },
    })
    const late = await send(receiver.port, { sender, destination: { timeoutMs: 200, concurrency: 1 } })
    expect(late).toMatchObject({ aborted: false, status: null })
    expect(receiver.received.length).toBe(0)
  })

  test('a signal after the status does not undo the answer', async () => {
    const controller = new AbortController()
    const abort = () => queueMicrotask(() => controller.abort())
    subscribe('undici:request:headers', abort)
    onTestFinished(() => void unsubscribe('undici:request:headers', abort))
    const receiver = await startRaw(answerWithoutEnd('200 OK', Buffer.from('a'), 5))
    const result = await send(receiver.port, { sender: aSender({ answerLimitMs: 60_000 }), signal: controller.signal })
    expect(result).toMatchObject({ aborted: false, status: 200, error: null })
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('closing ends attempts in flight without a result, and all connections', async () => {
    const receiver = await startRaw((socket) => void socket.resume())
    const sender = aSender()
    const sending = send(receiver.port, { sender })
    await expect.poll(() => receiver.sockets.map((socket) => socket.bytesRead > 0)).toEqual([true])
    await sender.close()
    expect(await sending).toMatchObject({ aborted: true, hasBegun: true })
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })
})
