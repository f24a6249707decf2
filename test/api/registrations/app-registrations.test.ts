import { describe, expect, it } from 'vitest'
import { asClient, ask, askJson, post, startApi } from '../api.ts'

const URL = 'https://app.example/webhooks?key=s3cret'

describe('a registration for an app', () => {
  it.each([
    ['any', null],
    ['sandbox', ['sandbox']],
  ] as const)('of a client of %s is the client’s, as if the app had made it', async (environment, environments) => {
    const api = await startApi()
    const app = await asClient(api, ['payment.webhook.read', 'payment.webhook.write'], { name: 'shop', environment })
    const answer = await post(api, '/v1/registrations', { kind: 'payment', url: URL, client: 'shop' })
    expect([answer.status, answer.headers.location]).toEqual([201, '/v1/destinations/dst_1'])
    const made = { owner: app.id, origin: 'registration', kinds: ['payment'], environments, url: URL }
    expect(JSON.parse(answer.body)).toMatchObject(made)
    const period = 'dataInicio=2020-01-01T00:00:00Z&dataFim=2030-01-01T00:00:00Z'
    const seen = await askJson(api, `/payment/v1/webhook?${period}`, { authorization: app.authorization })
    expect(seen).toMatchObject({ webhooks: [{ url: URL }] })
    const { actions } = await api.store.listActions({}, 9)
    expect(actions).toMatchObject([
      {
        action: 'registerForApp',
        actor: 'operator',
        details: { client: 'shop', kind: 'payment', host: 'app.example' },
      },
    ])
    expect(JSON.stringify([actions, api.lines])).not.toContain('s3cret')
  })

  it('is refused where it exists, for an unknown or revoked client, and for a kind that is not received', async () => {
    const api = await startApi({ kinds: ['payment'] })
    const app = await asClient(api, ['events.read'], { name: 'shop' })
    const wanted = { kind: 'payment', url: URL, client: app.id }
    const status = async (body: object) => (await post(api, '/v1/registrations', body)).status
    expect(await status(wanted)).toBe(201)
    expect(await status(wanted)).toBe(409)
    expect(await status({ ...wanted, client: 'nobody' })).toBe(404)
    expect(await status({ ...wanted, kind: 'registration' })).toBe(400)
    expect(await status({ ...wanted, kind: 'charge' })).toBe(400)
    await api.clients.revoke(app.id)
    expect(await status({ ...wanted, url: 'https://other.example/' })).toBe(404)
    expect(await api.store.listDestinations()).toHaveLength(1)
  })

  it('is made by the operator only', async () => {
    const api = await startApi()
    const { authorization, id } = await asClient(api, ['operations.write', 'destinations.write'])
    const body = JSON.stringify({ kind: 'payment', url: URL, client: id })
    const headers = { 'content-type': 'application/json' }
    expect((await ask(api, '/v1/registrations', { method: 'POST', body, headers, authorization })).status).toBe(403)
  })
})
