import { Router } from 'express'
import type { Operation } from '../http/endpoint.ts'

export interface MetricsRoutesOptions {
  /** What a monitoring system reads; null: nothing runs here that it could be told of. */
  readonly metrics: {
    /** For everybody who reaches the API; else for the operator and clients with `operations.read`. */
    readonly isOpen: boolean
    readonly contentType: string
    readonly text: () => Promise<string>
  } | null
}

/** `GET /metrics`, in the text format of Prometheus. */
export function metricsRoutes({ metrics }: MetricsRoutesOptions): Router {
  const router = Router()
  if (metrics === null) return router
  router.get('/metrics', async function showMetrics(_request, response) {
    const text = await metrics.text()
    response.type(metrics.contentType).send(text)
  })
  return router
}

export function metricsOperations({ metrics }: MetricsRoutesOptions): readonly Operation[] {
  if (metrics === null) return []
  return [
    {
      ...{ id: 'getMetrics', method: 'get', path: '/metrics' },
      ...{ tag: 'Operations', access: metrics.isOpen ? 'public' : 'scopes', errors: 'problem' },
      summary: 'Get the numbers for a monitoring system',
      description: 'In the text format of Prometheus. What is counted in the database is at most a few seconds old.',
      answers: { 200: { description: 'All of them.', type: 'text/plain' } },
    },
  ]
}
