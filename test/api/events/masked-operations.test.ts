import { expect, it } from 'vitest'
import { SCOPES } from '../../../src/domain/scopes.ts'
import type { OpenApi } from '../../support/api-contract.ts'
import { aCallback, aDestination, aFact, aHeldCallback, NOON } from '../../support/builders.ts'
import { asClient, ask, askJson, post, startApi } from '../api.ts'

const CPF = '12345678909'
const NAME = 'Maria Conceição Araújo'
const PERSONAL = [CPF, '123.456.789-09', NAME, 'Concei', '456.789']
const ENTRY = `{"txid":"A","subject":"${CPF}","valor":150.10,"pagador":{"cpf":"${CPF}","nome":"${NAME}"}}`
const TARGET = { target: `/callbacks/charge?cpf=${CPF}` }

type Api = Awaited<ReturnType<typeof startApi>>

/** An event with a failed delivery whose answer repeats the payload, and three quarantined facts with a CPF as subject. */
async function withPersonalData() {
  const api = await startApi()
  const settings = aDestination({ name: 'books', kinds: ['charge'] })
  const { id: destinationId } = await api.store.createDestination(settings, NOON)
  const facts = [aFact({ kind: 'charge', subject: CPF })]
  await api.store.storeCallback(aCallback({ kind: 'charge', text: ENTRY, facts, ...TARGET }))
  const lease = { now: NOON, leaseUntil: NOON + 1000, freshSince: 0, limit: 9, backlogLimit: 9 }
  const { deliveries } = await api.store.claimDeliveries({ destinationId, ...lease })
  await api.store.recordAttempts(
    deliveries.map(({ deliveryId, attempt }) => ({
      deliveryId,
      attempt,
      startedAt: NOON,
      durationMs: 1,
      status: 500,
      error: `answered ${CPF}`,
      answer: Buffer.from(`no ${NAME}`),
      result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 },
    })),
  )
  for (const number of [1, 2, 3]) {
    const callback = aHeldCallback(ENTRY.replace('150.10', `150.1${number}`), [], TARGET)
    const held = callback.facts.map((fact) => ({ ...fact, subject: CPF }))
    await api.store.storeCallback({ ...callback, facts: held })
  }
  return api
}

function expectNothingPersonal(text: string, where: string): void {
  for (const personal of PERSONAL) if (text.includes(personal)) expect.fail(`${where} shows ${personal}: ${text}`)
}

/** Of all objects that operations name in their paths. */
async function pathsOf(api: Api, path: string): Promise<string> {
  const [event] = (await api.store.listEvents({}, 1)).events
  const ids: Readonly<Record<string, string>> = {
    events: event?.id ?? '',
    deliveries: 'dlv_1',
    quarantine: 'qtn_1',
    destinations: 'dst_1',
  }
  return path.replace(/^\/v1\/(\w+)\/\{\w+\}/, (whole, noun: string) => `/v1/${noun}/${ids[noun] ?? whole}`)
}

it('without events.read no operation shows anything personal, whatever other scopes a token has', async () => {
  const api = await withPersonalData()
  const scopes = SCOPES.filter((scope) => scope !== 'events.read')
  const { authorization } = await asClient(api, scopes)
  const { paths } = await askJson<OpenApi>(api, '/openapi.json')
  const shown: string[] = []
  for (const [template, item] of Object.entries(paths)) {
    for (const [verb, { operationId, security }] of Object.entries(item)) {
      if (security.length === 0 || verb === 'delete' || operationId === 'unmaskEvent') continue
      const answer = await ask(api, await pathsOf(api, template), { method: verb.toUpperCase(), authorization })
      if (answer.status === 200) shown.push(operationId)
      expectNothingPersonal(answer.body + JSON.stringify(answer.headers), operationId)
    }
  }
  expect(shown).toEqual(
    expect.arrayContaining([
      ...['listEvents', 'showEvent', 'listEventDeliveries', 'listDeliveries', 'retryDelivery'],
      ...['listQuarantine', 'showQuarantined', 'releaseQuarantined'],
    ]),
  )
  const discarded = await ask(api, '/v1/quarantine/qtn_2/discard', { method: 'POST', authorization })
  expect(JSON.parse(discarded.body)).toMatchObject({ state: 'discarded', subject: '***', masked: true })
})

it('a quarantined fact and a delivery show what is not personal, and everything with events.read', async () => {
  const api = await withPersonalData()
  const masked = await asClient(api, ['operations.read', 'support.read'])
  const { body } = await ask(api, '/v1/quarantine/qtn_1', masked)
  expect(JSON.parse(body)).toMatchObject({
    id: 'qtn_1',
    subject: '***',
    masked: true,
    data: { txid: 'A', pagador: '***' },
    contentType: 'application/json',
    evidence: { target: '/callbacks/charge?***' },
  })
  expect(body).toContain('"valor":150.11,')
  const hidden = { subject: '***', lastStatus: 500, lastError: '***', lastAnswer: null }
  const [delivery] = (await askJson<{ data: object[] }>(api, '/v1/deliveries', masked)).data
  expect(await askJson(api, '/v1/deliveries/dlv_1', masked)).toMatchObject({
    ...hidden,
    latestAttempts: [{ error: '***', answer: '' }],
  })
  expect(delivery).toMatchObject(hidden)

  const full = await asClient(api, ['operations.read', 'events.read'])
  const whole = await askJson<Record<string, unknown>>(api, '/v1/quarantine/qtn_1', full)
  expect([whole.subject, whole.masked]).toEqual([CPF, undefined])
  const { data } = await askJson<{ data: object[] }>(api, '/v1/deliveries', full)
  const shown = { subject: CPF, lastError: `answered ${CPF}`, lastAnswer: `no ${NAME}` }
  expect(data).toMatchObject([shown])
  expect(await askJson(api, '/v1/deliveries/dlv_1', full)).toMatchObject({
    ...shown,
    latestAttempts: [{ error: `answered ${CPF}`, answer: `no ${NAME}` }],
  })
})

it('a masked page ends after 4 MiB of payloads, and the next one goes on behind it', async () => {
  const api = await startApi()
  await api.store.createDestination(aDestination({ name: 'books', kinds: ['charge'] }), NOON)
  const large = (id: string) => `{"txid":"${id}","text":"${'x'.repeat(2_200_000)}"}`
  for (const id of ['A', 'B', 'C']) {
    await api.store.storeCallback(aHeldCallback(large(id)))
    await api.store.storeCallback(aCallback({ kind: 'charge', text: large(id), facts: [aFact({ kind: 'charge' })] }))
  }
  const masked = await asClient(api, ['operations.read'])
  for (const [path, prefix] of [
    ['/v1/quarantine', 'qtn'],
    ['/v1/deliveries', 'dlv'],
  ] as const) {
    const pages = [`${path}?limit=3`, `${path}?limit=3&after=${prefix}_2`].map((one) =>
      askJson<{ data: { id: string }[]; next: string; more: boolean }>(api, one, masked),
    )
    const read = (await Promise.all(pages)).map(({ data, next, more }) => [data.map(({ id }) => id), next, more])
    expect(read).toEqual([
      [[`${prefix}_1`, `${prefix}_2`], `${prefix}_2`, true],
      [[`${prefix}_3`], `${prefix}_3`, false],
    ])
  }
})

it('a released fact is masked in the answer', async () => {
  const api = await withPersonalData()
  const { authorization } = await asClient(api, ['operations.write'])
  const { body } = await ask(api, '/v1/quarantine/qtn_1/release', { method: 'POST', authorization })
  expect(JSON.parse(body)).toMatchObject({ state: 'released', subject: '***', duplicate: false })
  const asOperator = await post(api, '/v1/quarantine/qtn_2/release')
  expect(JSON.parse(asOperator.body).subject).toBe(CPF)
})
