import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMAND } from '../../src/platform/installation.ts'
import { callApi } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { linesOf, portaria } from './program.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

it('destinations are made, looked at, paused, resumed, tested and deleted at the running gateway', async () => {
  const gateway = await startTestGateway()
  const { site } = gateway
  const receiver = await startReceiver()
  const secretFile = join(site.folder, 'secret')
  writeFileSync(secretFile, `${SECRET}\n`)
  const run = (...args: string[]) => portaria(site, 'destinations', ...args)

  const made = await run(
    ...['create', `${receiver.url}?key=s3cret-in-the-query`, '--name', 'books'],
    ...['--header', 'Authorization: Bearer private'],
  )
  expect([made.code, made.stderr]).toEqual([0, ''])
  const secret = /^ {2}(whsec_\S+)$/m.exec(made.stdout)?.[1]
  expect(made.stdout).toMatch(/^id +dst_1\nname +books\n/)
  expect(made.stdout).toContain(`Try it: ${COMMAND} destinations test books\n`)
  expect(made.stdout).not.toContain('private')

  const [other, taken, forbidden, noHeader, invalid, noFile] = await Promise.all([
    run(
      ...[
        'create',
        receiver.url,
        '--name',
        'shop',
        '--kind',
        'payment',
        '--kind',
        'probe',
        '--environment',
        'Homologação',
      ],
      ...['--secret-file', secretFile, '--timeout', '500', '--concurrency', '2', '--json'],
    ),
    run('create', receiver.url, '--name', 'books'),
    run('create', 'https://10.0.0.1/', '--name', 'inside'),
    run('create', receiver.url, '--header', 'nonsense'),
    run('create', receiver.url, '--kind', 'refund', '--environment', 'staging', '--timeout', '1'),
    run('create', receiver.url, '--secret-file', '/nothing'),
  ])
  expect(linesOf(other)).toMatchObject([
    {
      id: 'dst_2',
      kinds: ['payment', 'probe'],
      environments: ['sandbox'],
      secret: SECRET,
      timeoutMs: 500,
      concurrency: 2,
    },
  ])
  expect(
    [taken, forbidden, noHeader, invalid, noFile].map(({ code, stdout, stderr }) => [code, stdout, stderr]),
  ).toEqual([
    [1, '', expect.stringMatching(/^portaria: there is a destination named books already: choose another name/)],
    [1, '', expect.stringMatching(/^portaria: 10\.0\.0\.1 is not an allowed address \(private network\)/)],
    [2, '', 'portaria: --header "nonsense" is not a header: write it as "name: value"\n'],
    [2, '', expect.stringMatching(/kinds\/0.*environments\/0.*timeoutMs/s)],
    [2, '', expect.stringMatching(/^portaria: --secret-file \/nothing cannot be read \(it does not exist/)],
  ])

  const [list, json, shown, secrets] = await Promise.all([
    run('list'),
    run('list', '--json', '--limit', '1'),
    run('show', 'dst_1'),
    run('show', 'books', '--secret', '--json'),
  ])
  expect(list.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 7))).toEqual([
    ['id', 'name', 'owner', 'state', 'waiting', 'kinds', 'environments'],
    ['dst_1', 'books', 'operator', 'active', '0', 'all', 'both'],
    ['dst_2', 'shop', 'operator', 'active', '0', 'payment,probe', 'sandbox'],
    [''],
  ])
  expect(linesOf(json)).toMatchObject([{ id: 'dst_1', waiting: 0 }])
  expect(shown.stdout).not.toMatch(/whsec_|private/)
  for (const { stdout } of [list, json, shown]) {
    expect(stdout).toContain('?key=***')
    expect(stdout).not.toContain('s3cret')
  }
  expect(linesOf(secrets)).toMatchObject([
    { name: 'books', secrets: [secret], url: `${receiver.url}?key=s3cret-in-the-query` },
  ])

  const paused = await run('pause', 'books')
  const resumed = await run('resume', 'dst_1', '--json')
  expect([paused.stdout, linesOf(resumed)]).toMatchObject(['books is paused\n', [{ state: 'active' }]])
  const accepted = await run('test', 'books')
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringMatching(/^accepted after \d+ ms: HTTP 200\nthanks\n$/),
  ])
  receiver.answer(500)
  const [failed, deleted, unknown] = await Promise.all([
    run('test', 'books', '--json'),
    run('delete', 'shop'),
    run('pause', 'unknown'),
  ])
  expect([failed.code, linesOf(failed)]).toMatchObject([1, [{ ok: false, status: 500, error: 'answered HTTP 500' }]])
  expect([deleted.code, deleted.stdout]).toEqual([0, 'deleted shop\n'])
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    `portaria: there is no destination unknown: ${COMMAND} destinations list shows all\n`,
  ])
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/destinations')).body) as { data: unknown[] }
  expect(data).toMatchObject([{ name: 'books', state: 'active' }])
})

it('without a running gateway the same commands do the same themselves', async () => {
  const site = await createSite()
  const receiver = await startReceiver()
  const run = (...args: string[]) => portaria(site, 'destinations', ...args)
  const made = await run('create', receiver.url, '--name', 'books', '--json')
  expect([made.code, linesOf(made)]).toMatchObject([0, [{ id: 'dst_1', origin: 'operator' }]])
  const tested = await run('test', 'books')
  const paused = await run('pause', 'books')
  expect([tested.code, paused.code, paused.stdout]).toEqual([0, 0, 'books is paused\n'])
  expect(receiver.received).toHaveLength(1)
  const [shown, stats] = await Promise.all([run('show', 'books', '--secret', '--json'), run('stats', '--json')])
  expect(linesOf(shown)).toMatchObject([{ id: 'dst_1', state: 'paused', secrets: [linesOf(made)[0]?.secret] }])
  expect(linesOf(stats)).toMatchObject([{ id: 'dst_1', state: 'paused', waiting: 0, attempts: 0, successRate: null }])
  const gateway = await startTestGateway(site)
  expect(JSON.parse((await callApi(gateway.api, '/v1/destinations')).body)).toMatchObject({
    data: [{ name: 'books', state: 'paused', pauseReason: 'paused by an operator' }],
  })
})

it('a destination is changed, setting by setting, and its secret rotated', async () => {
  const gateway = await startTestGateway()
  const run = (...args: string[]) => portaria(gateway.site, 'destinations', ...args)
  await run(
    'create',
    'https://8.8.8.8/',
    '--name',
    'books',
    '--rate-limit',
    '5',
    '--header',
    'x-a: 1',
    '--header',
    'x-b: 2',
  )
  const first = await run(
    ...[
      'update',
      'books',
      '--json',
      '--name',
      'shop',
      '--url',
      'https://1.1.1.1/',
      '--subject',
      '42',
      '--format',
      'event',
      '--authentication',
      'mutual-tls',
    ],
    ...[
      '--subject-prefix',
      '7-',
      '--header',
      'x-c: 3',
      '--remove-header',
      'X-A',
      '--reset',
      'rate-limit',
      '--order',
      'subject',
    ],
  )
  expect(linesOf(first)).toMatchObject([
    {
      id: 'dst_1',
      name: 'shop',
      url: 'https://1.1.1.1/',
      subjects: { exact: ['42'], prefix: ['7-'] },
      authentication: 'mutual-tls',
      format: 'event',
      rateLimit: null,
      order: 'subject',
      headers: ['x-b', 'x-c'],
    },
  ])
  const [reset, nothing, both, unknown, forbidden] = await Promise.all([
    run('update', 'shop', '--reset', 'subject', '--reset', 'header', '--reset', 'format'),
    run('update', 'shop'),
    run('update', 'shop', '--reset', 'rate-limit', '--rate-limit', '3'),
    run('update', 'shop', '--reset', 'colour'),
    run('update', 'shop', '--url', 'https://10.0.0.1/'),
  ])
  expect([reset.code, reset.stdout]).toEqual([0, expect.stringMatching(/^format +original$/m)])
  expect(reset.stdout).not.toMatch(/^(subjects|headers)/m)
  expect([nothing, both, unknown, forbidden].map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
    [2, '', 'portaria: nothing to change: give a setting, such as --url or --timeout\n'],
    [2, '', 'portaria: --reset rate-limit contradicts --rate-limit: leave one of them out\n'],
    [2, '', expect.stringContaining('Known are kind, institution, environment, subject')],
    [1, '', expect.stringMatching(/^portaria: 10\.0\.0\.1 is not an allowed address/)],
  ])

  const rotated = await run('rotate-secret', 'shop', '--overlap', '2h')
  const secret = /^ {2}(whsec_\S+)$/m.exec(rotated.stdout)?.[1]
  expect(rotated.stdout).toMatch(/The old secret also signs until \d{4}-.*Z\n$/)
  const [shown, bad, again] = await Promise.all([
    run('show', 'shop', '--secret', '--json'),
    run('rotate-secret', 'shop', '--overlap', '40d'),
    run('rotate-secret', 'unknown', '--json'),
  ])
  expect(linesOf(shown)).toMatchObject([{ secrets: [secret, expect.stringMatching(/^whsec_/)] }])
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('/overlap: must be at most 30d')])
  expect(again.code).toBe(1)
})
