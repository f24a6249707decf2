import { expect, it } from 'vitest'
import type { ReconcileProgress, ReconcileRequest, Reconciler } from '../../../src/domain/reconcile/reconciler.ts'
import { ask, askJson, reconciledOf, startApi } from '../api.ts'

const RUN: ReconcileProgress = {
  ...{ id: 'rec_7', isDryRun: true, since: Date.UTC(2026, 2, 1), state: 'running', endedAt: null },
  beganAt: Date.UTC(2026, 2, 4),
  environments: [
    {
      ...{ environment: 'bank-a/sandbox', subjects: 9, asked: 3, planned: 8, found: 1, unknown: 2, undecided: 1 },
      ...{ unnamed: 4, failed: 1, problem: 'it answers HTTP 503', left: 5 },
    },
  ],
}

const VIEW = {
  ...{ id: 'rec_7', dryRun: true, since: '2026-03-01T00:00:00.000Z', state: 'running', endedAt: null },
  beganAt: '2026-03-04T00:00:00.000Z',
  environments: [
    {
      ...{ institution: 'bank-a', environment: 'sandbox', subjects: 9, asked: 3, planned: 8, found: 1, unknown: 2 },
      ...{ undecided: 1, unnamed: 4, failed: 1, problem: 'it answers HTTP 503', left: 5 },
    },
  ],
}

async function withReconciler() {
  const requests: ReconcileRequest[] = []
  const reconciler: Reconciler = {
    start(request) {
      requests.push(request)
      return RUN
    },
    current: () => (requests.length === 0 ? null : RUN),
  }
  const kinds = () => [reconciledOf('sandbox'), reconciledOf('bank-a/sandbox')]
  return { api: await startApi({ reconcile: { reconciler, kinds } }), requests }
}

async function start(api: { port: number }, body: object) {
  const headers = { 'content-type': 'application/json' }
  const answer = await ask(api, '/v1/service/reconcile', { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, json: JSON.parse(answer.body) }
}

it.each([
  [{}, { since: null, environments: [], isDryRun: false }],
  [
    { since: '2026-03-01', dryRun: true },
    { since: Date.UTC(2026, 2, 1), environments: [], isDryRun: true },
  ],
  [{ environment: 'sandbox' }, { since: null, environments: ['sandbox', 'bank-a/sandbox'], isDryRun: false }],
  [{ institution: 'bank-a' }, { since: null, environments: ['bank-a/sandbox'], isDryRun: false }],
])('POST /v1/service/reconcile %o starts a run, which GET shows', async (body, request) => {
  const { api, requests } = await withReconciler()
  expect(await askJson(api, '/v1/service/reconcile')).toMatchObject({ run: null })
  expect(await start(api, body)).toEqual({ status: 202, json: VIEW })
  expect(requests).toEqual([request])
  const names = { payments: 'payment', openings: 'registration', charges: 'charge' }
  const kinds = [null, 'bank-a'].map((institution) => ({ institution, environment: 'sandbox', ...names }))
  expect(await askJson(api, '/v1/service/reconcile')).toEqual({ kinds, run: VIEW })
})

it.each([
  [{ environment: 'production' }, '#/environment', 'sandbox, bank-a/sandbox are'],
  [{ institution: 'bank-z' }, '#/institution', 'sandbox, bank-a/sandbox are'],
  [{ since: 'soon' }, '#/since', 'RFC 3339'],
  [{ dryRun: 'yes' }, '#/dryRun', 'true or false'],
])('%o is refused, and starts nothing', async (body, pointer, words) => {
  const { api, requests } = await withReconciler()
  const { status, json } = await start(api, body)
  expect([status, json.errors]).toEqual([400, [{ pointer, detail: expect.stringContaining(words) }]])
  expect(requests).toEqual([])
})

it('where no gateway runs no run starts, and the reconciled kinds are listed', async () => {
  const api = await startApi({ reconcile: { reconciler: null } })
  expect((await start(api, {})).status).toBe(405)
  expect(await askJson(api, '/v1/service/reconcile')).toMatchObject({ run: null, kinds: [{}, {}] })
})
