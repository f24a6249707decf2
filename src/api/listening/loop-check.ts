import type { RequestHandler } from 'express'
import { hasPassed, loopText } from '../../domain/forwarding/forwarding-loop.ts'
import type { RefusedCaller } from '../../domain/refusal.ts'
import { addressOf } from '../../tls/remote-address.ts'
import { sendProblem } from '../http/problem.ts'

export interface LoopCheckOptions {
  /** The name of this gateway in CDN-Loop. */
  readonly instance: string
  readonly onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void
}

/** Refuses deliveries that came back to their own gateway (RFC 8586), before any other check. */
export function refuseLoops({ instance, onRefused }: LoopCheckOptions): RequestHandler {
  return function refuseOwnRequest(request, response, next) {
    const loop = request.headers['cdn-loop']
    if (loop === undefined || !hasPassed(loop, instance)) return next()
    const { method, path, socket } = request
    onRefused(addressOf(socket), () => ({ code: 'loop', detail: `${method} ${path}` }))
    sendProblem(response, { status: 508, code: 'loop_detected', detail: loopText(instance) })
  }
}
