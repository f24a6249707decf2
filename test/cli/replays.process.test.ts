import { expect, it } from 'vitest'
import { replayProgress } from '../../src/cli/replays/progress.ts'
import { callBack } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { linesOf, portaria } from './program.ts'

const FORWARDING = { allowedNetworks: ['127.0.0.0/8'], schedule: ['0s'], timeout: '2s' }

it('a replay is followed to its end, and canceled at the running gateway', async () => {
  const site = await createSite({ forwarding: FORWARDING })
  const gateway = await startTestGateway(site)
  const receiver = await startReceiver()
  const run = (...args: string[]) => portaria(site, ...args)
  for (const n of [1, 2, 3]) await callBack(gateway, { body: `{"identificador":"${n}"}` })
  await run('destinations', 'create', receiver.url, '--name', 'books')

  const create = ['replays', 'create', '--destination', 'books']
  const made = await run(...create)
  expect([made.code, made.stdout]).toEqual([0, 'rpl_1 is done: 3 deliveries to books were created\n'])
  expect(made.stderr).toMatch(/^rpl_1: \d of 3 deliveries created, \d waiting\n/)
  await until(() => receiver.received.length === 3)

  await run('destinations', 'pause', 'books')
  const again = await run(...create, '--mode', 'all', '--json')
  expect([again.code, again.stderr, linesOf(again)]).toMatchObject([
    0,
    '',
    [{ id: 'rpl_2', state: 'done', waiting: 3 }],
  ])
  const canceled = await run('replays', 'cancel', 'rpl_2')
  expect([canceled.code, canceled.stdout]).toEqual([0, 'rpl_2 is canceled\n'])
  expect(linesOf(await run('replays', 'delete', 'rpl_2', '--json'))).toMatchObject([{ state: 'canceled', waiting: 0 }])
  const ended = await run('replays', 'delete', 'rpl_1')
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('rpl_1 is done already')])
  await run('destinations', 'resume', 'books')
  await callBack(gateway, { body: '{"identificador":"new"}' })
  await until(() => receiver.received.length === 4)
})

it('a replay that is asked for while no gateway runs is left to the next one, and says so', async () => {
  const site = await createSite({ forwarding: FORWARDING })
  const first = await startTestGateway(site)
  const receiver = await startReceiver()
  await callBack(first, { body: '{"identificador":"1"}' })
  await first.stop()
  await portaria(site, 'destinations', 'create', receiver.url, '--name', 'books')
  const made = await portaria(site, 'replays', 'create', '--destination', 'books')
  expect([made.code, made.stdout]).toEqual([
    0,
    'rpl_1: 1 event for books; it starts with the gateway, which is not running\n',
  ])
  expect(receiver.received).toHaveLength(0)

  const gateway = await startTestGateway(site)
  await until(() => receiver.received.length === 1)
  await until(() => gateway.lines.some(({ event }) => event === 'replay.finished'))
  expect(gateway.lines.filter(({ event }) => event === 'replay.started')).toMatchObject([{ replay: 'rpl_1' }])
})

it('progress is a bar on a terminal, and a line for each tenth elsewhere', () => {
  const view = {
    ...({
      id: 'rpl_1',
      destination: 'dst_1',
      destinationName: 'books',
      mode: 'all',
      filter: {},
      matched: 200,
      leftOut: 0,
    } as const),
    ...({ reason: null, waiting: 7, position: '', askedBy: null, createdAt: '', endedAt: null } as const),
  }
  function shown(isTTY: boolean): string {
    const written: string[] = []
    const show = replayProgress({ isTTY, write: (text) => written.push(text) })
    for (const created of [0, 10, 100, 110]) show({ ...view, state: 'running', created })
    show({ ...view, created: 190, state: 'done' })
    return written.join('')
  }
  expect(shown(false)).toBe(
    ['0 of 200', '100 of 200', '190 of 200'].map((words) => `rpl_1: ${words} deliveries created, 7 waiting\n`).join(''),
  )
  expect(shown(true).split('\r\x1b[K').slice(1)).toEqual([
    `[${'-'.repeat(30)}] 0 % rpl_1: 0 of 200 deliveries created, 7 waiting`,
    `[##${'-'.repeat(28)}] 5 % rpl_1: 10 of 200 deliveries created, 7 waiting`,
    `[${'#'.repeat(15)}${'-'.repeat(15)}] 50 % rpl_1: 100 of 200 deliveries created, 7 waiting`,
    `[${'#'.repeat(17)}${'-'.repeat(13)}] 55 % rpl_1: 110 of 200 deliveries created, 7 waiting`,
    `[${'#'.repeat(30)}] 100 % rpl_1: 190 of 200 deliveries created, 7 waiting\n`,
  ])
})
