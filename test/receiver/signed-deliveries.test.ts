import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createReceiver } from '../../receiver/src/receiver.ts'
import { ROOT } from '../../src/platform/program-files.ts'
import { type SignedDelivery, signedDeliveries } from '../support/signed-deliveries.ts'

/** For the tests of receivers in any language, which set their clock to its time. */
const FILE = join(ROOT, 'docs/examples/signed-deliveries.json')
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)
const MADE = signedDeliveries(NOW / 1000)

it('the file of signed deliveries has what the gateway signs; --update writes it', async () => {
  await expect(`${JSON.stringify(MADE, null, 2)}\n`).toMatchFileSnapshot(FILE)
})

/** What was judged as the file does not say. */
function differing(isGenuine: (delivery: SignedDelivery, body: Buffer) => boolean): string[] {
  return MADE.deliveries
    .filter((delivery) => isGenuine(delivery, Buffer.from(delivery.body, 'base64')) !== delivery.genuine)
    .map(({ what }) => what)
}

function succeeds(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch {
    return false
  }
}

it('the published library, and the package for receivers, judge each of them as the file says', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  onTestFinished(() => void vi.useRealTimers())
  const secrets = MADE.secrets.split(' ')
  expect(
    differing(({ headers }, body) =>
      secrets.some((secret) => succeeds(() => new Webhook(secret).verify(body, headers))),
    ),
  ).toEqual([])
  const receiver = createReceiver({ secrets: MADE.secrets })
  expect(differing(({ headers }, body) => succeeds(() => receiver.verify(headers, body)))).toEqual([])
})
