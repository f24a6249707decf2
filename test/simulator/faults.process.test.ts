import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allEvents, callApi } from '../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { receiverCaFile } from '../../simulator/test/receiver.ts'
import { type RunningSimulator, simulatorForTest } from '../../simulator/test/running.ts'

interface World {
  readonly gateway: TestGateway
  readonly running: RunningSimulator
  /** Sends callbacks under a fault, and their retries. */
  sendUnder(fault: object, ...ids: string[]): Promise<void>
  /** The identifiers of the stored payment events. */
  stored(): Promise<string[]>
}

interface Fact {
  readonly identificador: string
}

/** An event of a call with several facts keeps the member around its fact. */
function factIn(data: unknown): Fact {
  const { pix: [only] = [], ...fact } = data as Fact & { pix?: Fact[] }
  return only ?? fact
}

/** A real gateway that trusts both chains of a simulator, with a registered URL. */
async function createWorld(): Promise<World> {
  const running = await simulatorForTest({ webhooks: { retryMinutes: [1, 1] } }, { receiverCaFile: receiverCaFile() })
  const site = await createSite()
  for (const environment of ['sandbox', 'production'] as const) {
    const { chainFile } = running.simulator.folder.environments[environment]
    copyFileSync(chainFile, join(site.certs, 'trust', `${environment}.pem`))
  }
  const gateway = await startTestGateway(site)
  const url = `https://localhost:${gateway.callbacks.port}/callbacks/payment`
  await running.ask('payment', { method: 'PUT', path: '/v1/webhook', body: { url } })
  const { tasks } = running.simulator.sites.sandbox
  return {
    gateway,
    running,
    async sendUnder(fault, ...ids) {
      await running.control('POST', '/faults', { on: 'callback', ...fault })
      for (const identificador of ids) {
        await running.control('POST', '/callbacks', { body: { identificador, valor: '1.00' } })
        await tasks.settled()
      }
      await running.control('POST', '/clock/advance', { by: '5m' })
    },
    stored: async () => (await allEvents(gateway.api, '&kind=payment')).map(({ data }) => factIn(data).identificador),
  }
}

it('a gateway stores each fact once, whatever happens to the calls', async () => {
  const { sendUnder, stored, gateway, running } = await createWorld()
  const faults = [
    ...[{ fault: 'timeout', afterMs: 50 }, { fault: 'late_answer' }, { fault: 'cut_before_request' }],
    ...[{ fault: 'cut_after_request' }, { fault: 'duplicate', copies: 3 }, { fault: 'without_server_name' }],
    ...[{ fault: 'tls12' }, { fault: 'slow_body', overMs: 100 }, { fault: 'suffix' }],
  ]
  for (const [index, fault] of faults.entries()) await sendUnder(fault, String(index))
  expect(await stored()).toEqual(faults.map((_, index) => String(index)))
  await sendUnder({ fault: 'same_id_other_content' }, 'repeated')
  await sendUnder({ fault: 'reorder' }, 'second', 'first')
  await sendUnder({ fault: 'several_facts', member: 'pix' }, 'one', 'two')
  expect((await stored()).slice(faults.length)).toEqual(['repeated', 'repeated', 'first', 'second', 'one', 'two'])
  const ordered = (await running.control('GET', '/faults')).json.faults as { isUsedUp: boolean }[]
  expect(ordered.map(({ isUsedUp }) => isUsedUp)).toEqual(Array(12).fill(true))
  expect(gateway.lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('a gateway refuses every wrong certificate, and takes the retry with the right one', async () => {
  const { sendUnder, stored, gateway } = await createWorld()
  const wrong = ['sibling', 'expired', 'unknown-root', 'rotated', 'none']
  for (const certificate of wrong) {
    await sendUnder({ fault: 'wrong_certificate', certificate, count: 3 }, certificate)
    expect(await stored(), certificate).toEqual([])
  }
  async function reasons(): Promise<Set<string>> {
    const { body } = await callApi(gateway.api, '/v1/refusals')
    return new Set((JSON.parse(body) as { data: { reason: string }[] }).data.map(({ reason }) => reason))
  }
  // Refusals are written in batches, a moment after the caller was refused.
  expect((await until(reasons, ({ size }) => size >= 4)).size).toBeGreaterThanOrEqual(4)
  await sendUnder({ fault: 'wrong_certificate' }, 'at last')
  expect(await stored()).toEqual(['at last'])
})

it('a gateway takes the other environment’s certificate for a callback of that environment', async () => {
  const { sendUnder, gateway } = await createWorld()
  await sendUnder({ fault: 'wrong_certificate', certificate: 'other-environment' }, '1')
  expect(await allEvents(gateway.api, '&kind=payment')).toMatchObject([{ environment: 'production' }])
})
