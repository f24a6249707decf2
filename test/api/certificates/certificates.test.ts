import { describe, expect, it } from 'vitest'
import { aWatchedCertificate, NOON } from '../../support/builders.ts'
import { ask, askJson, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

const DAY = 86_400_000

describe('GET /v1/certificates', () => {
  it('lists when each certificate ends, and files that cannot be read', async () => {
    const api = await startApi({
      certificates: [
        { set: 'client', where: 'client.crt', environment: null, problem: 'client.crt is empty' },
        aWatchedCertificate({ set: 'service-chain', environment: 'sandbox', notAfter: NOON + 2.5 * DAY }),
      ],
    })
    const unknown = {
      subject: null,
      issuer: null,
      fingerprint: null,
      notAfter: null,
      daysLeft: null,
      clientUseProblem: null,
    }
    expect(await askJson(api, '/v1/certificates')).toEqual({
      data: [
        {
          set: 'client',
          where: 'client.crt',
          institution: null,
          environment: null,
          ...unknown,
          state: 'unreadable',
          problem: 'client.crt is empty',
        },
        {
          set: 'service-chain',
          where: 'certs/server.crt',
          institution: null,
          environment: 'sandbox',
          subject: 'CN=gateway',
          issuer: 'CN=authority',
          fingerprint: 'ab'.repeat(32),
          notAfter: '2026-01-18T00:00:00.000Z',
          daysLeft: 2,
          state: 'expiring',
          clientUseProblem: null,
          problem: null,
        },
      ],
      more: false,
    })
  })

  it('says how much is left out, and takes another number of days for soon', async () => {
    const certificates = [1, 20, 40].map((days) => aWatchedCertificate({ notAfter: NOON + days * DAY }))
    const api = await startApi({ certificates })
    const statesOf = async (query: string) => {
      const { data, more } = await askJson<{ data: { state: string }[]; more: boolean }>(
        api,
        `/v1/certificates${query}`,
      )
      return [data.map(({ state }) => state), more]
    }
    expect(await statesOf('')).toEqual([['expiring', 'expiring', 'valid'], false])
    expect(await statesOf('?limit=2&days=20')).toEqual([['expiring', 'valid'], true])
  })

  it.each(['days=0', 'days=3651', 'days=x', 'limit=0', 'set=server'])('refuses ?%s', async (query) => {
    const api = await shared()
    expect((await ask(api, `/v1/certificates?${query}`)).status).toBe(400)
  })

  it('is for the operator only', async () => {
    const api = await shared()
    expect((await ask(api, '/v1/certificates', { authorization: null })).status).toBe(401)
  })
})
