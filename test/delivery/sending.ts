import { once } from 'node:events'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createSender, type Sender, type SenderOptions, type SendResult } from '../../src/delivery/send.ts'
import { compileAddressRules } from '../../src/domain/address-rules.ts'
import type { ClaimedDelivery } from '../../src/domain/delivery.ts'
import type { Destination } from '../../src/domain/destination.ts'
import { forwardingTextIn } from '../../src/domain/forwarding/forwarding-texts.ts'
import { aDelivery, aDestination } from './receiver.ts'

export const NOW = Date.UTC(2026, 5, 1, 12)
export const NAME = 'hooks.example.com'

export function aSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    rules: compileAddressRules(['127.0.0.1']),
    version: '0.1.0',
    instance: 'portaria-test',
    now: () => NOW,
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
  onTestFinished(() => sender.close())
  return sender
}

export interface Sending {
  readonly sender?: Sender
  readonly delivery?: Partial<ClaimedDelivery>
  readonly destination?: Partial<Destination>
  readonly signal?: AbortSignal
  readonly mayBegin?: () => boolean
}

/** Every error must be one that the pages have in each language. */
export async function send(
  port: number,
  { sender = aSender(), delivery, destination, signal = new AbortController().signal, mayBegin }: Sending = {},
): Promise<SendResult> {
  const to = aDestination(`http://${NAME}:${port}/in?shop=1`, destination)
  const result = await sender.send(aDelivery(delivery), to, { signal, ...(mayBegin && { mayBegin }) })
  if (!result.aborted && result.error !== null && forwardingTextIn(result.error) === null)
    throw new Error(`not one of FORWARDING_TEXTS: ${result.error}`)
  return result
}

export const succeeded = (answer: string, status = 200) => ({
  aborted: false,
  startedAt: NOW,
  durationMs: 0,
  status,
  error: null,
  answer: Buffer.from(answer),
  retryAfter: undefined,
})
export const failed = (error: string) => ({ aborted: false, status: null, error, answer: new Uint8Array() })

export function answerAfterRequest(text: string | Buffer): (socket: Socket) => void {
  return (socket) => void once(socket, 'data').then(() => socket.end(text))
}

/** Never a complete body: as long as the connection lasts it grows. */
export function answerWithoutEnd(status: string, chunk: Buffer, everyMs: number): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
      const timer = setInterval(() => socket.write(chunk), everyMs)
      socket.once('close', () => clearInterval(timer))
    })
  }
}
