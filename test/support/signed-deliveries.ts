import { createHmac } from 'node:crypto'
import { sign } from '../../src/delivery/signature.ts'

const secretOf = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`
/** Those of the receiver while it rotates its secret, and one that it does not know. */
export const OLD_SECRET = secretOf(1)
export const NEW_SECRET = secretOf(2)
export const OTHER_SECRET = secretOf(3)

/** With a number, white space and a letter that a parser would write in another way. */
const TEXT = '{ "identificador" : "78", "nome": "João", "valor": 150.10 }\n'
const BODY = Buffer.from(TEXT)

/** A delivery, and whether a receiver with the secrets of the file must take it. */
export interface SignedDelivery {
  readonly what: string
  readonly genuine: boolean
  readonly headers: Readonly<Record<string, string>>
  /** In base64, because it is bytes and no text. */
  readonly body: string
}

export interface SignedDeliveries {
  readonly about: string
  /** The clock of the receiver, in seconds since 1970. */
  readonly now: number
  readonly toleranceSeconds: number
  /** As in WEBHOOK_SECRET of the examples. */
  readonly secrets: string
  readonly deliveries: readonly SignedDelivery[]
}

interface Parts {
  readonly secrets?: readonly string[]
  readonly seconds?: number
  /** What is sent in place of the signed bytes. */
  readonly sent?: Buffer
  /** Headers in place of the right ones; null: left out. */
  readonly change?: (right: Readonly<Record<Header, string>>) => Partial<Record<Header, string | null>>
}

type Header = 'webhook-id' | 'webhook-timestamp' | 'webhook-signature'

/** What a receiver of Standard Webhooks has to tell apart, as the gateway signs it. @param now seconds since 1970 */
export function signedDeliveries(now: number): SignedDeliveries {
  let made = 0
  const delivery = (
    what: string,
    genuine: boolean,
    { secrets = [OLD_SECRET], seconds = 0, sent = BODY, change }: Parts,
  ) => {
    const [id, timestampSeconds] = [`evt_f${(++made).toString(36)}_0123456789`, now + seconds]
    const right = {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ id, timestampSeconds, body: BODY, secrets }),
    }
    const all = { 'content-type': 'application/json', 'portaria-kind': 'payment', ...right, ...change?.(right) }
    const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
    return { what, genuine, headers: Object.fromEntries(present), body: sent.toString('base64') }
  }
  const good = (what: string, parts: Parts = {}) => delivery(what, true, parts)
  const bad = (what: string, parts: Parts) => delivery(what, false, parts)
  return {
    about:
      'Deliveries for the tests of a receiver with these secrets, whose clock shows `now`: `genuine` says whether it must take one. Bodies are in base64.',
    now,
    toleranceSeconds: 300,
    secrets: `${OLD_SECRET} ${NEW_SECRET}`,
    deliveries: [
      good('signed with the first secret'),
      good('signed with the second secret', { secrets: [NEW_SECRET] }),
      good('signed with an unknown secret, and with a known one', { secrets: [OTHER_SECRET, OLD_SECRET] }),
      good('signed 200 seconds ago', { seconds: -200 }),
      good('signed by a clock that is 200 seconds ahead', { seconds: 200 }),
      bad('a number was written again', { sent: Buffer.from(TEXT.replace('150.10', '150.1')) }),
      bad('the body was parsed and written again', { sent: Buffer.from(JSON.stringify(JSON.parse(TEXT))) }),
      bad('the body was written in ISO-8859-1', { sent: Buffer.from(TEXT, 'latin1') }),
      bad('the body is missing', { sent: Buffer.alloc(0) }),
      bad('the id is of another event', { change: () => ({ 'webhook-id': 'evt_f0_0123456789' }) }),
      bad('the time is another one', { change: () => ({ 'webhook-timestamp': String(now + 1) }) }),
      bad('the time is a word', { change: () => ({ 'webhook-timestamp': 'now' }) }),
      bad('signed 400 seconds ago', { seconds: -400 }),
      bad('signed by a clock that is 400 seconds ahead', { seconds: 400 }),
      bad('signed with an unknown secret', { secrets: [OTHER_SECRET] }),
      bad('signed with an empty key', { change: (right) => ({ 'webhook-signature': signatureOfEmptyKey(right) }) }),
      bad('the signature has another version', {
        change: (right) => ({ 'webhook-signature': right['webhook-signature'].replace('v1,', 'v2,') }),
      }),
      bad('no part of the signature is one', { change: () => ({ 'webhook-signature': 'v1,* v1 x' }) }),
      bad('the id is missing', { change: () => ({ 'webhook-id': null }) }),
      bad('the time is missing', { change: () => ({ 'webhook-timestamp': null }) }),
      bad('the signature is missing', { change: () => ({ 'webhook-signature': null }) }),
    ],
  }
}

/** Anybody can make it. */
function signatureOfEmptyKey(headers: Readonly<Record<Header, string>>): string {
  const hmac = createHmac('sha256', '').update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(BODY)
  return `v1,${hmac.digest('base64')}`
}
