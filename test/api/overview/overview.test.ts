import { describe, expect, it } from 'vitest'
import { aWatchedCertificate, NOON } from '../../support/builders.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, askJson, startApi } from '../api.ts'

describe('the overview', () => {
  it('has the light with its reasons, traffic, destinations, certificates, free space and the search index', async () => {
    const api = await startApi({
      overview: {
        traffic: {
          callbacks: { payment: [3, 5], charge: [0, 1] },
          failed: 2,
          repeatedUntil: '2026-11-22T14:00Z',
          acknowledge: { p50Ms: 2.1, p99Ms: 8 },
          acknowledgeP99Ms: [null, 8],
          waiting: [null, 4],
        },
        outages: [
          {
            ...{ id: 1, cause: 'down', beganAt: NOON - 7_200_000, endedAt: NOON, raisedAt: NOON, reconciledAt: null },
            windows: [{ retries: 'short', lost: null, closesAt: NOON + 1000, retriesUntil: NOON + 2000 }],
          },
        ],
        disk: { level: 'no_refusals', freeBytes: 10, minFreeBytes: 20 },
        kinds: [{ kind: 'charge', environment: 'bank-a/sandbox', lastReceivedAt: NOON - 3_600_000, isInactive: true }],
        certificates: [
          aWatchedCertificate({ set: 'server', where: 'server.crt', notAfter: NOON + 40.5 * 86_400_000 }),
          aWatchedCertificate({ isReplaced: true }),
        ],
        search: {
          indexedThrough: 3,
          latest: 5,
          lagEvents: 2,
          lagSeconds: 1.5,
          isRebuilding: false,
          rebuiltThrough: null,
          indexBytes: 9,
        },
      },
    })
    expect(await askJson(api, '/v1/overview')).toEqual({
      at: new Date(NOON).toISOString(),
      light: 'red',
      reasons: [
        expect.objectContaining({ code: 'callbacks_failing', until: '2026-11-22T14:00Z' }),
        expect.objectContaining({
          severity: 'problem',
          code: 'kind_silent',
          subject: 'bank-a/charge',
          value: 3600,
          others: 0,
        }),
        expect.objectContaining({ severity: 'warning', code: 'outage' }),
        expect.objectContaining({ severity: 'warning', code: 'space_short', subject: null, until: null }),
      ],
      configuration: { generation: 1, sha256: 'ab', needRestart: [] },
      callbacksPerMinute: { payment: [3, 5], charge: [0, 1] },
      waitingPerMinute: [null, 4],
      acknowledgeLatency: { p50: 2.1, p99: 8, p99PerMinute: [null, 8] },
      destinations: [],
      silentKinds: [
        { kind: 'charge', institution: 'bank-a', lastReceivedAt: new Date(NOON - 3_600_000).toISOString() },
      ],
      outages: [
        {
          cause: 'down',
          beganAt: new Date(NOON - 7_200_000).toISOString(),
          endedAt: new Date(NOON).toISOString(),
          reconciledAt: null,
          windows: [
            {
              retries: 'short',
              lostFrom: null,
              lostThrough: null,
              closesAt: new Date(NOON + 1000).toISOString(),
              retriesUntil: new Date(NOON + 2000).toISOString(),
            },
          ],
        },
      ],
      certificates: [{ set: 'server', name: 'server.crt', institution: null, environment: null, daysLeft: 40 }],
      freeSpace: { level: 'no_refusals', freeBytes: 10, minFreeBytes: 20 },
      search: { lagEvents: 2, lagSeconds: 1.5, isRebuilding: false },
    })
  })

  it('comes as a stream that repeats it', async () => {
    const api = await startApi()
    const reader = await openEventStream(api, '/v1/overview/stream')
    const [first, second] = await reader.messages(2)
    expect([first?.type, JSON.parse(first?.data ?? '')]).toEqual(['overview', await askJson(api, '/v1/overview')])
    expect(second?.data).toBe(first?.data)
    api.streams.close()
    await until(() => reader.isEnded())
  })

  it('is for those who may read operations', async () => {
    const api = await startApi()
    const { authorization } = await asClient(api, ['events.read'])
    for (const path of ['/v1/overview', '/v1/overview/stream'])
      expect((await ask(api, path, { authorization })).status).toBe(403)
  })
})
