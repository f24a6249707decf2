import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, inject, it } from 'vitest'
import { type Operation, operationsOf } from './operations.ts'
import { receiverCaFile } from './receiver.ts'
import { type RunningSimulator, simulatorForTest } from './running.ts'

const TOUR = resolve(import.meta.dirname, '../docs/examples/simulator-tour.sh')

/** Runs the tour against a simulator, with a receiver whose certificate is below the test CA. */
async function tour({ simulator }: RunningSimulator, changes: object = {}) {
  const child = spawn('sh', [TOUR], {
    env: {
      PATH: process.env.PATH ?? '',
      SIMULATOR: `https://localhost:${simulator.ports.sandbox}`,
      CONTROL: `http://localhost:${simulator.controlPort}/control`,
      SIMULATOR_FOLDER: simulator.folder.path,
      RECEIVER_CERTIFICATE: join(inject('testCa'), 'server.crt'),
      RECEIVER_KEY: join(inject('testCa'), 'server.key'),
      ...changes,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise<number | null>((ended) => child.once('close', ended))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr, code: await code }
}

/** Numbers of the operations that the tour called, as it prints them: `PUT /charges/v1/charge/1000001/link {…`. */
function numbersCalled(stdout: string, operations: readonly Operation[]): (string | null)[] {
  const called = [...stdout.matchAll(/^ {3}([A-Z]+) \/([\w-]+)(\/[^ ?\n]*)/gm)]
  // Paths without segments first: `/v1/resumo` is not `/v1/{idPagamento}`.
  const sorted = operations.toSorted((one, two) => one.path.split('{').length - two.path.split('{').length)
  const numbers = called.map(([, method, on, path = '']) => {
    const isThis = (one: Operation) => new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
    return sorted.find((one) => one.method === method && one.on === on && isThis(one))?.number ?? null
  })
  return [...new Set(numbers)]
}

it('simulator/docs/examples/simulator-tour.sh goes the whole way and back, as the control API sees it', async () => {
  const running = await simulatorForTest({}, { receiverCaFile: receiverCaFile() })
  const { stdout, stderr, code } = await tour(running)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const operations = await operationsOf(running)
  const numbers = operations.flatMap(({ number }) => number ?? [])
  expect(numbers).toHaveLength(38)
  const called = numbersCalled(stdout, operations)
  expect(numbers.filter((number) => !called.includes(number))).toEqual([])

  const made = [...(stdout.split('complete:')[1] ?? '').matchAll(/(\w+) (\d+)[,.]/g)]
  const { account, charge, payment, subscription, carnet } = Object.fromEntries(made.map(([, name, id]) => [name, id]))
  const shown = async (path: string) => (await running.control('GET', path)).json

  const [opening] = (await shown('/openings')).openings
  expect(opening).toMatchObject({ state: 'open', name: 'Maria da Conceição', account })
  expect(await shown(`/accounts/${account}`)).toMatchObject({
    balance: 0,
    keys: [],
    certificates: [{ refused: false }],
    applications: [{ client_id: opening.clientId, scopes: opening.scopes }],
  })
  const own = running.simulator.sites.sandbox.applications.list()[0]?.account
  expect(await shown(`/accounts/${own}`)).toMatchObject({
    // No endpoint deletes the address of open banking.
    webhooks: [{ interface: 'open-banking' }],
    balance: 99_990_000,
  })
  expect(await shown(`/charges/${charge}`)).toMatchObject({
    status: 'paid',
    account,
    payment: { method: 'credit_card' },
    received: { cents: 15_010 },
    notifications: { form: 'token', entries: 3, waiting: 0 },
  })
  const [paid] = await shown('/payments')
  expect(paid).toMatchObject({ idPagamento: payment, account: own, status: 'LIQUIDADO' })
  expect(await shown(`/subscriptions/${subscription}`)).toMatchObject({
    status: 'canceled',
    account,
    plan: { deleted: true },
    charges: [{ status: 'unpaid' }, { status: 'unpaid' }, { status: 'unpaid' }],
  })
  expect(await shown(`/carnets/${carnet}`)).toMatchObject({ status: 'finished', charges: [{}, {}] })
  const { callbacks } = await shown('/callbacks?state=delivered')
  const about = callbacks.map((one: { interface: string }) => one.interface).sort()
  expect(about).toEqual([
    ...['charges', 'charges', 'charges', 'open-banking', 'payment', 'payment', 'payment', 'registration'],
  ])
  expect((await shown('/clock')).frozen).toBe(false)
}, 120_000)

it('simulator/docs/examples/simulator-tour.sh stops with the step and the answer that was not expected', async () => {
  const running = await simulatorForTest()
  const untrusted = await tour(running)
  expect([untrusted.code, untrusted.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^\nThe tour stopped at step 3: PUT .*\/payment\/v1\/webhook answered 400 in place of 201: \{"nome"/,
    ),
  ])
  const absent = await tour(running, { RECEIVER_KEY: '/nowhere' })
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('/nowhere cannot be read')])
})
