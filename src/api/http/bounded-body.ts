import type { RequestHandler } from 'express'
import type { BodyBudget } from '../../platform/body-budget.ts'
import { PortariaError } from '../../platform/errors.ts'

const NO_ROOM = 'too many request bodies are being read: try again later'

/**
 * Runs a body parser within a budget for all bodies that are being read. Parsers buffer, so each body counts from its start with the declared length,
 * or without one with the maximum.
 */
export function withinBudget(parse: RequestHandler, budget: BodyBudget, limitBytes: number): RequestHandler {
  return function parseWithinBudget(request, response, next) {
    let isOver = false
    const account = budget.open(() => {
      // Closing the connection frees the buffered part.
      response.setHeader('connection', 'close')
      goOn(new PortariaError('queue_full', NO_ROOM))
    })
    function goOn(error?: unknown): void {
      if (isOver) return
      isOver = true
      account.close()
      next(error)
    }

    const length = Number(
      request.headers['content-length'] ?? (request.headers['transfer-encoding'] && limitBytes) ?? 0,
    )
    if (account.add(Math.min(length, limitBytes))) parse(request, response, goOn)
    else goOn(new PortariaError('queue_full', NO_ROOM))
  }
}
