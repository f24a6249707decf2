import { describe, expect, it } from 'vitest'
import { allEvents } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { openRawCaller, originalOf, type RawCaller } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

/** What is sent, the answers with `closed` if the connection ends, and the bodies that are kept of it. */
type Case = readonly [what: string, bytes: string, outcome: string, ...kept: string[]]

const HOST = 'Host: localhost\r\n'
const PATH = '/callbacks/payment'
const MIB = 1 << 20

interface Writing {
  readonly headers?: string
  readonly target?: string
  readonly method?: string
  readonly version?: string
}

/** Texts are bytes: one character each. */
function post(body: string, { headers = '', target = PATH, method = 'POST', version = 'HTTP/1.1' }: Writing = {}) {
  return `${method} ${target} ${version}\r\n${HOST}${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

const framed = (headers: string, rest = '') => `POST ${PATH} HTTP/1.1\r\n${HOST}${headers}\r\n${rest}`
const chunked = (rest: string) => framed('Transfer-Encoding: chunked\r\n', rest)
const bare = (method: string, target = PATH) => `${method} ${target} HTTP/1.1\r\n${HOST}\r\n`
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const many = (count: number, header: string) => header.repeat(count)

/** A request that is stored as `body`. */
const keeps = (what: string, body: string, writing?: Writing): Case => [what, post(body, writing), '200', body]
const refuses = (what: string, bytes: string, outcome = '400 closed', ...kept: string[]): Case => [
  what,
  bytes,
  outcome,
  ...kept,
]

const groups: [string, Case[]][] = [
  [
    'request lines',
    [
      refuses('no HTTP at all', 'garbage\r\n\r\n'),
      refuses('a TLS record inside TLS', '\x16\x03\x01\x02\x00\x01\x00'),
      refuses('a BOM before the method', `\xef\xbb\xbf${post('{}')}`),
      refuses('a method in small letters', post('{}', { method: 'post' })),
      refuses('a method that no one knows', post('{}', { method: 'FOO' })),
      refuses('a space inside the method', post('{}', { method: 'PO ST' })),
      refuses('a tab behind the method', post('{}').replace('POST ', 'POST\t')),
      refuses('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      refuses('HTTP/1.2', post('{}', { version: 'HTTP/1.2' })),
      refuses('HTTP/3.0', post('{}', { version: 'HTTP/3.0' })),
      refuses('HTPP/1.1', post('{}', { version: 'HTPP/1.1' })),
      refuses('http/1.1 in small letters', post('{}', { version: 'http/1.1' })),
      refuses('HTTP/1.1x', post('{}', { version: 'HTTP/1.1x' })),
      refuses('a request line without a version', `GET ${PATH}\r\n\r\n`),
      refuses('a POST without a version', `POST ${PATH}\r\n${HOST}Content-Length: 2\r\n\r\n{}`),
      refuses('HTTP/0.9', post('{}', { version: 'HTTP/0.9' })),
      refuses('HTTP/2.0', post('{}', { version: 'HTTP/2.0' })),
      ['HTTP/1.0', post('{"line":1}', { version: 'HTTP/1.0' }), '200 closed', '{"line":1}'],
      ['empty lines before it', `\r\n\r\n${post('{"line":2}')}`, '200', '{"line":2}'],
    ],
  ],
  [
    'targets',
    [
      keeps('the absolute form', '{"target":1}', { target: `https://localhost${PATH}` }),
      keeps('a malformed percent sign in the query', '{"target":2}', { target: `${PATH}?%` }),
      keeps('a suffix, an empty segment and a query', '{"target":3}', { target: `/${PATH}//pix?x=/rec` }),
      keeps('12 KB of query', '{"target":4}', { target: `${PATH}?${'x'.repeat(12_000)}` }),
      refuses(
        'more query than all headers may be',
        post('{}', { target: `${PATH}?${'x'.repeat(20_000)}` }),
        '431 closed',
      ),
      refuses('a percent-encoded letter', post('{}', { target: '/callbacks/%70ayment' }), '404'),
      refuses('a malformed percent sign', post('{}', { target: '/%' }), '404'),
      refuses('an unknown path', post('{"no":1}', { target: '/nope' }), '404'),
      refuses('a path with ..', post('{}', { target: `/x/..${PATH}` }), '404'),
      refuses('a fragment', post('{}', { target: `${PATH}#x` }), '404'),
      refuses('*', post('{}', { target: '*' }), '404'),
      refuses('an absolute form that is no URL', post('{}', { target: `http://[${PATH}` }), '404'),
      refuses('another scheme', post('{}', { target: `ftp://localhost${PATH}` }), '404'),
      refuses('a path without a slash', post('{}', { target: 'callbacks/payment' })),
      refuses('a byte beyond ASCII', post('{}', { target: '/\xe9' })),
      refuses('NUL', post('{}', { target: `${PATH}\0` })),
      refuses('a space', post('{}', { target: `${PATH} x` })),
    ],
  ],
  [
    'methods',
    [
      refuses('GET', bare('GET'), '405'),
      refuses('HEAD', bare('HEAD'), '405'),
      refuses('PUT with a body', post('{}', { method: 'PUT' }), '405'),
      refuses('DELETE', bare('DELETE'), '405'),
      refuses('PATCH', post('{}', { method: 'PATCH' }), '405'),
      refuses('QUERY', post('{}', { method: 'QUERY' }), '405'),
      refuses('TRACE', bare('TRACE'), '405'),
      refuses('OPTIONS on a route', bare('OPTIONS'), '405'),
      refuses('OPTIONS *', bare('OPTIONS', '*'), '404'),
      refuses('GET elsewhere', bare('GET', '/'), '404'),
      refuses('CONNECT', bare('CONNECT', 'localhost:1'), 'closed'),
      refuses(
        'CONNECT behind a good one',
        `${post('{"method":1}')}${bare('CONNECT', 'a:1')}${post('{}')}`,
        '200 closed',
        '{"method":1}',
      ),
    ],
  ],
  [
    'headers',
    [
      refuses('no Host', post('{}').replace(HOST, '')),
      refuses('no Host, and Expect', post('{}', { headers: 'Expect: tea\r\n' }).replace(HOST, '')),
      refuses(
        'no Host, behind a good one',
        `${post('{"host":0}')}${post('{}').replace(HOST, '')}`,
        '200 400 closed',
        '{"host":0}',
      ),
      [
        'no Host in HTTP/1.0',
        post('{"host":3}', { version: 'HTTP/1.0' }).replace(HOST, ''),
        '200 closed',
        '{"host":3}',
      ],
      refuses('Host twice', post('{}', { headers: HOST })),
      refuses('another Host, in other letters', post('{}', { headers: 'a: 1\r\nhOsT: other\r\n' })),
      refuses('Host twice in HTTP/1.0', post('{}', { headers: HOST, version: 'HTTP/1.0' })),
      refuses('Host twice, at an unknown path', post('{}', { headers: HOST, target: '/nope' })),
      refuses(
        'Host twice, behind a good one',
        post('{"host":1}') + post('{}', { headers: HOST }),
        '200 400 closed',
        '{"host":1}',
      ),
      ...['a, b', 'a b', 'a/b', 'a@b', '\xe9'].map((host) =>
        refuses(`the Host ${host}`, post('{}').replace('localhost', host)),
      ),
      ['an IPv6 address as Host', post('{"host":5}').replace('localhost', '[::1]:8443'), '200', '{"host":5}'],
      keeps('a name like Host', '{"host":4}', { headers: 'X-Host: a\r\nHos: b\r\n' }),
      ['an empty Host', post('{"host":2}').replace('localhost', ''), '200', '{"host":2}'],
      refuses('headers beyond their limit', post('{}', { headers: `x: ${'y'.repeat(20_000)}\r\n` }), '431 closed'),
      refuses('too many headers', post('{}', { headers: many(4000, 'a: 1\r\n') }), '431 closed'),
      keeps('many headers within the limit', '{"many":1}', { headers: many(300, 'a: 1\r\n') }),
      refuses('a space inside a name', post('{}', { headers: 'a b: 1\r\n' })),
      refuses('a space behind a name', post('{}', { headers: 'a : 1\r\n' })),
      refuses('a space before the first name', post('{}').replace('Host', ' Host')),
      refuses('no name', post('{}', { headers: ': 1\r\n' })),
      refuses('no colon', post('{}', { headers: 'abc\r\n' })),
      refuses('a name beyond ASCII', post('{}', { headers: '\xe9: 1\r\n' })),
      refuses('NUL in a name', post('{}', { headers: 'a\0: 1\r\n' })),
      refuses('NUL in a value', post('{}', { headers: 'a: \0\r\n' })),
      refuses('a control character in a value', post('{}', { headers: 'a: \x01\r\n' })),
      refuses('CR without LF', post('{}', { headers: 'a: b\rc: d\r\n' })),
      refuses('LF without CR', post('{}', { headers: 'a: b\n' })),
      refuses('a folded value', post('{}', { headers: 'a: b\r\n  c\r\n' })),
      keeps('a value beyond ASCII', '{"latin":1}', { headers: 'a: \xe9\r\n' }),
      refuses('Expect of something unknown', post('{}', { headers: 'Expect: tea\r\n' }), '417 closed'),
      [
        'Expect in HTTP/1.0',
        post('{"expect":0}', { version: 'HTTP/1.0', headers: 'Expect: tea\r\n' }),
        '200 closed',
        '{"expect":0}',
      ],
      [
        'Expect: 100-continue',
        post('{"expect":1}', { headers: 'Expect: 100-continue\r\n' }),
        '100 200',
        '{"expect":1}',
      ],
      [
        'Upgrade',
        post('{"upgrade":1}', { headers: 'Connection: Upgrade\r\nUpgrade: websocket\r\n' }),
        '200 closed',
        '{"upgrade":1}',
      ],
      ['Connection: close', post('{"close":1}', { headers: 'Connection: close\r\n' }), '200 closed', '{"close":1}'],
    ],
  ],
  [
    'lengths and transfer codings',
    [
      refuses('two lengths', post('{}', { headers: 'Content-Length: 3\r\n' })),
      refuses('the same length twice', post('{}', { headers: 'Content-Length: 2\r\n' })),
      refuses('a list of lengths', framed('Content-Length: 2, 2\r\n', '{}')),
      refuses('a negative length', framed('Content-Length: -1\r\n')),
      refuses('a length with a sign', framed('Content-Length: +2\r\n', '{}')),
      refuses('a hexadecimal length', framed('Content-Length: 0x2\r\n', '{}')),
      refuses('an empty length', framed('Content-Length: \r\n', '{}')),
      refuses('a length beyond 64 bits', framed('Content-Length: 99999999999999999999999\r\n')),
      ['no length and no body', framed('X-No: 1\r\n'), '200', ''],
      refuses('both a length and chunks', framed('Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nG')),
      refuses(
        'chunks first and then a length',
        framed('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'),
      ),
      refuses('chunked, identity', framed('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')),
      refuses('identity', framed('Transfer-Encoding: identity\r\n')),
      refuses('xchunked', framed('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')),
      refuses('chunked twice', framed('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')),
      refuses('a vertical tab before chunked', framed('Transfer-Encoding:\x0bchunked\r\n', '0\r\n\r\n')),
      [
        'identity, chunked',
        framed('Transfer-Encoding: identity, chunked\r\n', 'A\r\n{"te":  1}\r\n0\r\n\r\n'),
        '200',
        '{"te":  1}',
      ],
      refuses('gzip, chunked', framed('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), '415'),
      ['chunks', chunked('5\r\n{"ch"\r\n4\r\n:1} \r\n0\r\n\r\n'), '200', '{"ch":1} '],
      [
        'chunked in capitals',
        framed('Transfer-Encoding: CHUNKED\r\n', 'A\r\n{"ch":  2}\r\n0\r\n\r\n'),
        '200',
        '{"ch":  2}',
      ],
      ['a chunk extension', chunked('8;a="b"\r\n{"ch":3}\r\n0\r\n\r\n'), '200', '{"ch":3}'],
      ['trailers', chunked('8\r\n{"ch":4}\r\n0\r\nx: y\r\n\r\n'), '200', '{"ch":4}'],
      refuses('a length in the trailers', chunked('2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n')),
      refuses(
        'trailers beyond the limit of headers',
        chunked(`2\r\n{}\r\n0\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
        '431 closed',
      ),
      refuses('a chunk size that is none', chunked('zz\r\n{}\r\n0\r\n\r\n')),
      refuses('a negative chunk size', chunked('-1\r\n{}\r\n0\r\n\r\n')),
      refuses('a chunk size beyond 64 bits', chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n')),
      refuses('a space behind a chunk size', chunked('2 \r\n{}\r\n0\r\n\r\n')),
      refuses('a chunk longer than its size', chunked('2\r\n{}X0\r\n\r\n')),
      refuses('huge chunk extensions', chunked(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)),
    ],
  ],
  [
    'bodies',
    [
      keeps('none', ''),
      keeps('white space', ' \r\n\t '),
      keeps('{}', '{ }'),
      keeps('text', 'hello'),
      keeps('invalid UTF-8', '{"a":"\xff\xfe"}'),
      keeps('a BOM', '\xef\xbb\xbf{"bom":1}'),
      keeps('UTF-16', Buffer.from('{"a":16}', 'utf16le').toString('latin1')),
      keeps('every byte', String.fromCharCode(...Array(256).keys())),
      keeps('65 levels', '['.repeat(65) + ']'.repeat(65)),
      keeps('200,000 levels', '['.repeat(200_000) + ']'.repeat(200_000)),
      keeps('1 MiB of [', '['.repeat(MIB)),
      keeps('1 MiB of {},', `{"pix":[${'{},'.repeat(MIB / 3 - 6)}{}]}`),
      keeps('1,000 facts', `{"pix":[${'{"k":1},'.repeat(999)}{"k":1}]}`),
      keeps('1,001 facts', `{"pix":[${'{"k":2},'.repeat(1000)}{"k":2}]}`),
      keeps('repeated members', '{"identificador":1,"identificador":2,"pix":[],"pix":[{"a":1},{"a":2}]}'),
      keeps(
        '__proto__ and constructor',
        '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"status":{"__proto__":[]}}',
      ),
      keeps('lone surrogates', '{"identificador":"\\ud800","status":"\\udfff\\ud83d"}'),
      keeps('NUL in strings', '{"identificador":"a\\u0000b","status":"\\u0000"}'),
      keeps('odd numbers', '{"identificador":1e400,"status":-0,"valor":150.10,"x":123456789012345678901234567890}'),
      keeps('a subject of 300 KB', `{"identificador":"${'x'.repeat(300_000)}"}`),
      keeps('a subject beyond ASCII', utf8('{"identificador":"ação 😀"}')),
      keeps('exactly the limit', `"${'x'.repeat(MIB - 2)}"`),
      refuses('a byte over the limit', post('x'.repeat(MIB + 1)), '413'),
      refuses('four times the limit', post('x'.repeat(4 * MIB)), '413'),
      refuses('a byte over the limit in chunks', chunked(`100001\r\n${'x'.repeat(MIB + 1)}\r\n0\r\n\r\n`), '413'),
    ],
  ],
  [
    'content types and codings',
    [
      keeps('a form', 'notification=t0', { headers: 'Content-Type: application/x-www-form-urlencoded\r\n' }),
      keeps('another form', 'a=1&b=%zz', { headers: 'Content-Type: application/x-www-form-urlencoded\r\n' }),
      keeps('multipart', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n', {
        headers: 'Content-Type: multipart/form-data; boundary=x\r\n',
      }),
      keeps('multipart without a boundary', '--y', { headers: 'Content-Type: multipart/form-data\r\n' }),
      keeps('no content type', '{"type":1}'),
      keeps('an empty content type', '{"type":2}', { headers: 'Content-Type: \r\n' }),
      keeps('a content type beyond ASCII', '{"type":3}', { headers: 'Content-Type: t\xe9xt/\xfc; q="\xff\r\n' }),
      keeps('two content types', '{"type":4}', { headers: 'Content-Type: a/b\r\nContent-Type: c/d\r\n' }),
      keeps('another charset', '{"type":"\xe9"}', { headers: 'Content-Type: application/json; charset=latin1\r\n' }),
      keeps('a page', '<script>alert(1)</script>', { headers: 'Content-Type: text/html\r\n' }),
      ...['identity', 'UTF-8', 'x', '"identity"', 'identity, utf-8', 'not-gzip', ''].map((coding) =>
        keeps(`what ${coding} does not code`, `{"coding":${JSON.stringify(coding)}}`, {
          headers: `Content-Encoding: ${coding}\r\n`,
        }),
      ),
      ...['gzip', 'br', 'deflate', 'zstd', 'compress', 'X-GZIP', 'x-compress', 'identity, gzip', '"gzip"'].map(
        (coding) => refuses(coding, post('{}', { headers: `Content-Encoding: ${coding}\r\n` }), '415'),
      ),
      refuses(
        'a coding in a second header',
        post('{}', { headers: 'Content-Encoding: identity\r\nContent-Encoding: br\r\n' }),
        '415',
      ),
    ],
  ],
  [
    'several requests',
    [
      [
        'are answered in order',
        post('{"p":1}') + post('{"p":2}') + bare('GET', '/') + post('{"p":3}') + bare('PUT') + post('{"p":4}'),
        '200 200 404 200 405 200',
        '{"p":1}',
        '{"p":2}',
        '{"p":3}',
        '{"p":4}',
      ],
      [
        'with a refused body between them',
        post('{}', { headers: 'Content-Encoding: br\r\n' }) + post('{"p":5}'),
        '415 200',
        '{"p":5}',
      ],
      ['an empty line behind one', `${post('{"p":6}')}\r\n`, '200', '{"p":6}'],
      ['garbage behind one', `${post('{"p":7}')}garbage\r\n\r\n`, '200 400 closed', '{"p":7}'],
      ['garbage behind two', `${post('{"p":8}')}${post('{"p":9}')}\0`, '200 200 400 closed', '{"p":8}', '{"p":9}'],
      [
        'one behind Connection: close',
        post('{"p":10}', { headers: 'Connection: close\r\n' }) + post('{"p":11}'),
        '200 closed',
        '{"p":10}',
      ],
      ['one smuggled in a body', post(post('{"smuggled":1}')), '200', post('{"smuggled":1}')],
    ],
  ],
]

describe('a good request is stored and answered after each of these, each gets exactly its answer, and is reported once if it is refused', () => {
  it.each(groups)('%s', async (_what, cases) => {
    const gateway = await startTestGateway()
    const outcomes: Record<string, string> = {}
    const told: Record<string, number> = {}
    for (const [index, [what, bytes, outcome]] of cases.entries()) {
      const before = refusalsIn(gateway)
      outcomes[what] = await converse(gateway, bytes, { answers: countOf(outcome), good: good(index) })
      told[what] = refusalsIn(gateway) - before
    }

    expect(outcomes).toEqual(Object.fromEntries(cases.map(([what, , outcome]) => [what, `${outcome}, then 200`])))
    expect(told).toEqual(Object.fromEntries(cases.map((tried) => [tried[0], refusedIn(tried)])))
    expect(await keptBodies(gateway)).toEqual(cases.flatMap(([, , , ...kept], index) => [...kept, good(index)]))
    expect(gateway.lines.filter(isFault)).toEqual([])
  })
})

/** A refused request of the service is an error of its own: a callback may be lost. */
const isFault = ({ level, event }: { level: string; event: string }) =>
  level === 'error' && event !== 'callback.refused'

const good = (number: number) => `{"identificador":"good ${number}"}`
const refusalsIn = ({ lines }: TestGateway) => lines.filter((line) => line.event === 'caller.refused').length
const refusedIn = ([what, , outcome]: Case) =>
  // Of all that is refused these alone get no answer.
  /^CONNECT|behind Connection: close/.test(what) ? 1 : (outcome.match(/4[0-9]{2}/g) ?? []).length
const countOf = (outcome: string) => (outcome.match(/[0-9]{3}/g) ?? []).length

/** Sends the bytes, waits for the answers, then sends a good request: on the same connection where that is still open. */
async function converse(gateway: TestGateway, bytes: string, sent: { answers: number; good: string }): Promise<string> {
  const caller = await openRawCaller(gateway)
  caller.send(bytes)
  await caller.settled(Math.max(1, sent.answers)).catch(() => undefined)
  if (caller.answers().at(-1)?.headers.connection === 'close') await caller.closed()
  const outcome = outcomeOf(caller)
  const answered = caller.answers().length
  const next = caller.isClosed() ? await openRawCaller(gateway) : caller
  const before = next === caller ? answered : 0
  next.send(post(sent.good))
  await next.settled(before + 1).catch(() => undefined)
  const after = next.answers().slice(before)
  next.destroy()
  return `${outcome}, then ${after.map((answer) => answer.status).join(' ')}`
}

function outcomeOf(caller: RawCaller): string {
  return [...caller.answers().map((answer) => answer.status), ...(caller.isClosed() ? ['closed'] : [])].join(' ')
}

/** The stored bodies in the order of their callbacks, each as `GET /v1/events/:id/original` gives it. */
async function keptBodies({ api }: TestGateway): Promise<string[]> {
  const events = (await allEvents(api, '&kind=payment,probe')) as unknown as { id: string; callback: string }[]
  const first = new Map(events.toReversed().map((event) => [event.callback, event.id]))
  const ids = [...first.values()].reverse()
  return Promise.all(ids.map(async (id) => (await originalOf(api, id)).toString('latin1')))
}

describe('what an answer says', () => {
  it.each([
    ['200', post('{"a":1}'), { status: 200, body: '200', headers: { 'content-type': 'text/plain' } }],
    ['405', bare('GET'), { status: 405, headers: { allow: 'POST' } }],
    ['413', post('x'.repeat(MIB + 1)), { status: 413, body: 'the body is larger than 1048576 bytes' }],
    [
      '415',
      post('', { headers: 'Content-Encoding: gzip\r\n' }),
      { status: 415, body: 'send the body without a content-encoding' },
    ],
    ['400', 'x\r\n\r\n', { status: 400, body: '', headers: { connection: 'close' } }],
  ])('%s', async (_status, bytes, expected) => {
    const caller = await openRawCaller(await startTestGateway())
    caller.send(bytes)
    await caller.settled(1)
    expect(caller.answers()).toMatchObject([expected])
  })

  it('comes before the body when its length alone is too much', async () => {
    const caller = await openRawCaller(await startTestGateway())
    caller.send(framed(`Content-Length: ${1 << 30}\r\n`))
    await caller.settled(1)
    expect(outcomeOf(caller)).toBe('413')
  })

  it('is given up where a body goes on far beyond the limit', async () => {
    const site = await createSite({ callbacks: { ...BASE_CALLBACKS, limits: { body: '4KiB' } } })
    const caller = await openRawCaller(await startTestGateway(site))
    caller.send(framed(`Content-Length: ${1 << 30}\r\n`, 'x'.repeat(100_000)))
    await caller.closed()
  })
})

describe('a caller that goes away', () => {
  it.each([
    ['in the middle of the request line', 'POST /call'],
    ['in the middle of the headers', `POST ${PATH} HTTP/1.1\r\n${HOST}`],
    ['before the body', framed('Content-Length: 10\r\n')],
    ['in the middle of the body', framed('Content-Length: 10\r\n', '{"a":')],
    ['in the middle of a chunk', chunked('A\r\n{"a":')],
    ['between two chunks', chunked('5\r\n{"a":\r\n')],
    ['before the last empty line', chunked('8\r\n{"a": 1}\r\n0\r\n')],
  ])('%s leaves nothing behind', async (_when, bytes) => {
    const gateway = await startTestGateway()
    const [gone, ended] = [await openRawCaller(gateway), await openRawCaller(gateway)]
    gone.send(bytes)
    gone.destroy()
    ended.send(bytes)
    ended.finish()
    await ended.closed()
    expect(outcomeOf(ended)).toMatch(/^(400 )?closed$/)
    expect(await converse(gateway, post('{"next":1}'), { answers: 1, good: good(0) })).toBe('200, then 200')
    expect(await keptBodies(gateway)).toEqual(['{"next":1}', good(0)])
    expect(gateway.lines.filter(isFault)).toEqual([])
  })

  it('behind its complete request has it kept', async () => {
    const gateway = await startTestGateway()
    const [gone, ended] = [await openRawCaller(gateway), await openRawCaller(gateway)]
    ended.send(post('{"half":1}'))
    ended.finish()
    await ended.closed()
    await until(async () => (await keptBodies(gateway)).length === 1)
    gone.send(post('{"half":2}'))
    gone.destroy()
    await until(async () => (await keptBodies(gateway)).length === 2)
    expect(await keptBodies(gateway)).toEqual(['{"half":1}', '{"half":2}'])
  })
})

it('a request that comes byte by byte is read as if it came at once', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  for (const byte of post('{"slow":1}')) {
    caller.send(byte)
    await new Promise(setImmediate)
  }
  await caller.settled(1)
  expect(outcomeOf(caller)).toBe('200')
  expect(await keptBodies(gateway)).toEqual(['{"slow":1}'])
})

it('one connection serves many requests, pipelined ones too, all answered in order', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  const bodies = Array.from({ length: 200 }, (_, i) => `{"number":${i}}`)
  for (const body of bodies) caller.send(post(body) + (body.endsWith('5}') ? bare('GET') : ''))
  await caller.settled(220)
  expect(outcomeOf(caller)).toBe(bodies.map((body) => (body.endsWith('5}') ? '200 405' : '200')).join(' '))
  expect(await keptBodies(gateway)).toEqual(bodies)
})
