import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'

const running = simulatorForFile()

const sha256Of = (account: number) => new X509Certificate(running().tlsOf('sandbox', account).cert).fingerprint256
const refuse = (refused: boolean, more: object = {}) =>
  running().control('PUT', '/accounts/200001/certificates', { refused, ...more })

/** Whether the account's calls are answered; the connection is a kept one. */
async function isAnswered(account: number): Promise<boolean> {
  const url = `${running().baseOf('payment')}/v1/webhook`
  return running()
    .askRaw(url, {}, running().tlsOf('sandbox', account))
    .then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'UND_ERR_SOCKET') return false
        throw error
      },
    )
}

it('refused certificates have their connections cut, open ones too, until they are accepted again', async () => {
  expect([await isAnswered(0), await isAnswered(1)]).toEqual([true, true])
  const { json } = await refuse(true)
  expect(json).toEqual({ account: '200001', certificates: [{ sha256: sha256Of(0), refused: true }] })
  expect([await isAnswered(0), await isAnswered(1)]).toEqual([false, true])
  await running().ask('charges', { path: '/v1/plans' })
  await refuse(false, { sha256: sha256Of(0) })
  expect(await isAnswered(0)).toBe(true)
})

it('an unknown account or certificate is 404', async () => {
  const unknown = await running().control('PUT', '/accounts/1/certificates', { refused: true })
  expect([unknown.status, (await refuse(true, { sha256: sha256Of(1) })).status]).toEqual([404, 404])
})
