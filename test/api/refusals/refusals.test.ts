import { expect, it } from 'vitest'
import { aRefusal, NOON } from '../../support/builders.ts'
import { ask, askJson, startApi } from '../api.ts'

interface Page {
  readonly data: { id: string; code: string }[]
  readonly next: string
  readonly more: boolean
}

async function startWithRefusals() {
  const api = await startApi()
  const refusals = [
    aRefusal(),
    aRefusal({ code: 'expired', remoteAddress: '2001:db8::1', environment: 'sandbox', refusedAt: NOON + 1000 }),
    aRefusal({ code: 'unknown_token', listener: 'charges' }),
  ]
  await api.store.recordRefusals({ refusals, probes: [{ address: '192.0.2.1', since: NOON }] })
  return api
}

const idsOf = ({ data }: Page) => data.map(({ id }) => id)

it('lists refusals oldest first, page by page, and goes on where it ended', async () => {
  const api = await startWithRefusals()
  const first = await askJson<Page>(api, '/v1/refusals?limit=2')
  const second = await askJson<Page>(api, `/v1/refusals?limit=2&after=${first.next}`)
  expect([idsOf(first), first.more, idsOf(second), second.more]).toEqual([['rfs_1', 'rfs_2'], true, ['rfs_3'], false])

  await api.store.recordRefusals({ refusals: [aRefusal()], probes: [] })
  expect(idsOf(await askJson<Page>(api, `/v1/refusals?after=${second.next}`))).toEqual(['rfs_4'])
  expect(idsOf(await askJson<Page>(api, '/v1/refusals?after=latest'))).toEqual([])
})

it('lists them newest first, page by page, and a cursor turns round without a gap', async () => {
  const api = await startWithRefusals()
  const first = await askJson<Page>(api, '/v1/refusals?order=desc&limit=2')
  const second = await askJson<Page>(api, `/v1/refusals?order=desc&limit=2&after=${first.next}`)
  expect([idsOf(first), first.more, idsOf(second), second.more]).toEqual([['rfs_3', 'rfs_2'], true, ['rfs_1'], false])
  expect(idsOf(await askJson<Page>(api, `/v1/refusals?after=${first.next}`))).toEqual(['rfs_2', 'rfs_3'])
  expect(idsOf(await askJson<Page>(api, '/v1/refusals?order=desc&after=latest&reason=expired'))).toEqual(['rfs_2'])
})

it('filters by reason, address, listener, environment and time', async () => {
  const api = await startWithRefusals()
  const ids = async (query: string) => idsOf(await askJson<Page>(api, `/v1/refusals?${query}`))
  expect(await ids('reason=expired&reason=unknown_token')).toEqual(['rfs_2', 'rfs_3'])
  expect(await ids('address=2001:db8::1')).toEqual(['rfs_2'])
  expect(await ids('listener=charges')).toEqual(['rfs_3'])
  expect(await ids('environment=sandbox')).toEqual(['rfs_2'])
  expect(await ids('from=2026-01-15T12:00:00.500Z')).toEqual(['rfs_2'])
  expect(await ids('to=2026-01-15T12:00:00.500Z')).toEqual(['rfs_1', 'rfs_3'])
})

it('shows one refusal', async () => {
  const api = await startWithRefusals()
  expect(await askJson(api, '/v1/refusals/rfs_1')).toEqual({
    id: 'rfs_1',
    refusedAt: '2026-01-15T12:00:00.000Z',
    listener: 'callbacks',
    remoteAddress: '192.0.2.1',
    code: 'no_certificate',
    reason: 'no client certificate',
    rawCode: null,
    detail: null,
    institution: null,
    environment: null,
    tlsVersion: 'TLSv1.3',
    serverName: null,
    count: 1,
    probe: true,
    chain: [],
  })
})

it.each([
  ['/v1/refusals/rfs_9', 404, 'there is no refusal rfs_9'],
  ['/v1/refusals/evt_1', 404, 'there is no refusal evt_1'],
  ['/v1/refusals?reason=bad_luck', 400, 'reason: one of no_certificate, unknown_issuer'],
  ['/v1/refusals?listener=control', 400, 'listener: one of callbacks, charges, api'],
  ['/v1/refusals?kind=payment', 400, 'kind: unknown; known are after, limit, reason'],
])('answers %s with %i, and says what is wrong', async (path, status, text) => {
  const api = await startWithRefusals()
  const answer = await ask(api, path)
  expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(text)])
})

it('shows refusals to the operator only', async () => {
  const api = await startWithRefusals()
  for (const path of ['/v1/refusals', '/v1/refusals/rfs_1'])
    expect((await ask(api, path, { authorization: null })).status).toBe(401)
})
