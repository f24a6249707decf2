import { describe, expect, it } from 'vitest'
import { asClient, ask, reconciledOf, sharedApi, startApi } from '../api.ts'

interface Problem {
  readonly detail: string
  readonly errors?: readonly { readonly pointer: string }[]
}

const JSON_TYPE = { 'content-type': 'application/json' }
const PAYMENT = { kind: 'payment', environment: 'production', subject: '1000001' }

async function post(api: { port: number }, body: unknown, { path = '/v1/expected', authorization = '' } = {}) {
  const as = authorization === '' ? {} : { authorization }
  const answer = await ask(api, path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body), ...as })
  return { status: answer.status, json: JSON.parse(answer.body) }
}

const shared = sharedApi()

it.each([
  [PAYMENT, 'payment'],
  [{ kind: 'registration', environment: 'sandbox', subject: 'a b' }, 'opening'],
  [{ kind: 'charge', environment: 'production', subject: '7' }, 'charge'],
  [{ kind: 'charge', environment: 'production', subject: '8', type: 'subscription' }, 'subscription'],
  [{ kind: 'charge', environment: 'production', subject: '9', type: 'carnet' }, 'carnet'],
  [{ ...PAYMENT, subject: 'x'.repeat(200) }, 'payment'],
])('%o is expected as %s, and again with the same answer', async (body, type) => {
  const api = await shared()
  const first = await post(api, body)
  const { kind, environment, subject } = body
  expect(first).toEqual({ status: 202, json: { kind, institution: null, environment, subject, type } })
  expect(await post(api, body)).toEqual(first)
  const known = await api.store.getKnownSubject({ kind, environment: environment as 'sandbox', subject })
  expect(known).toMatchObject({ type, statuses: [], expectedAt: expect.any(Number) })
})

it.each([
  ['without a subject', { ...PAYMENT, subject: '' }, '#/subject'],
  ['with a long subject', { ...PAYMENT, subject: 'x'.repeat(201) }, '#/subject'],
  ['with a line break', { ...PAYMENT, subject: '1\n2' }, '#/subject'],
  ['with a C1 control character', { ...PAYMENT, subject: '1\u0085' }, '#/subject'],
  ['with half a character', { ...PAYMENT, subject: '\ud800' }, '#/subject'],
  ['with a number', { ...PAYMENT, subject: 7 }, '#/subject'],
  ['with a type of charges', { ...PAYMENT, type: 'charge' }, '#/type'],
  ['with an unknown type', { ...PAYMENT, kind: 'charge', type: 'payment' }, '#/type'],
  ['with an unknown kind', { ...PAYMENT, kind: 'transfer' }, '#/kind'],
  ['with an unknown environment', { ...PAYMENT, environment: 'staging' }, '#/environment'],
  ['with another member', { ...PAYMENT, id: '1' }, '#/id'],
])('%s it is refused', async (_what, body, pointer) => {
  const { status, json } = await post(await shared(), body)
  expect([status, (json as Problem).errors?.map((one) => one.pointer)]).toEqual([400, [pointer]])
})

it('a kind that is not reconciled there is refused with those that are', async () => {
  const kinds = () => [{ environment: 'production' as const, payments: 'bills', openings: null, charges: 'sales' }]
  const api = await startApi({ reconcile: { kinds } })
  const { status, json } = await post(api, PAYMENT)
  expect([status, json.detail]).toEqual([400, expect.stringContaining('bills (production), sales (production)')])
  expect((await post(api, { ...PAYMENT, kind: 'sales', type: 'carnet' })).json).toMatchObject({ type: 'carnet' })
  expect((await post(api, { ...PAYMENT, kind: 'bills', environment: 'sandbox' })).status).toBe(400)
})

describe('institutions', () => {
  const both = () => [reconciledOf('bank-a/production'), reconciledOf('bank-b/production')]

  it('are named where there are several, and the only one is meant without a name', async () => {
    const api = await startApi({ reconcile: { kinds: both } })
    const unnamed = await post(api, PAYMENT)
    expect([unnamed.status, unnamed.json.detail]).toEqual([400, expect.stringMatching(/institution.*bank-a, bank-b/)])
    const named = await post(api, { ...PAYMENT, institution: 'bank-b' })
    expect(named).toMatchObject({ status: 202, json: { institution: 'bank-b', environment: 'production' } })
    expect((await post(api, { ...PAYMENT, institution: 'bank-c' })).status).toBe(400)
    const one = await startApi({ reconcile: { kinds: () => both().slice(0, 1) } })
    expect((await post(one, PAYMENT)).json).toMatchObject({ institution: 'bank-a' })
  })

  it('the unnamed one is meant beside others', async () => {
    const api = await startApi({ reconcile: { kinds: () => [...both(), reconciledOf('production')] } })
    expect((await post(api, PAYMENT)).json).toMatchObject({ institution: null })
  })
})

it('a client of the other environment gets 403 before anything else is judged, and nothing is taken', async () => {
  const api = await shared()
  const sandbox = await asClient(api, ['expected.write'], { environment: 'sandbox' })
  const body = { ...PAYMENT, subject: 'not-mine' }
  expect(await post(api, body, sandbox)).toMatchObject({ status: 403, json: { code: 'forbidden' } })
  expect(await post(api, { ...body, kind: 'transfer' }, sandbox)).toMatchObject({ status: 403 })
  const key = { kind: 'payment', environment: 'production', subject: 'not-mine' } as const
  expect(await api.store.getKnownSubject(key)).toBeNull()
  expect(await post(api, { ...body, environment: 'sandbox' }, sandbox)).toMatchObject({ status: 202 })
})

it('no request of an app is in the log of actions; a list is, without its ids', async () => {
  const api = await startApi()
  await post(api, PAYMENT)
  const list = { kind: 'payment', environment: 'production', subjects: ['1000001', '1000002', '1000002'] }
  const taken = await post(api, list, { path: '/v1/service/expected' })
  expect(taken).toEqual({ status: 202, json: { expected: 2, added: 1 } })
  const { actions } = await api.store.listActions({}, 10)
  expect(actions).toMatchObject([{ action: 'expectSubjects', details: { kind: 'payment', environment: 'production' } }])
  expect(JSON.stringify(actions)).not.toContain('1000002')
})

it('a list is taken whole, also one of several transactions, and a wrong id leaves it', async () => {
  const api = await startApi()
  const subjects = Array.from({ length: 2_345 }, (_, index) => String(index))
  const list = { kind: 'charge', environment: 'sandbox', type: 'carnet', subjects }
  const path = '/v1/service/expected'
  expect((await post(api, { ...list, subjects: [...subjects, ''] }, { path })).status).toBe(400)
  expect(await api.store.listOpenSubjects({ kind: 'charge', environment: 'sandbox' }, 10)).toEqual([])
  expect((await post(api, list, { path })).json).toEqual({ expected: 2_345, added: 2_345 })
  expect(await api.store.listOpenSubjects({ kind: 'charge', environment: 'sandbox' }, 5_000)).toHaveLength(2_345)
})
