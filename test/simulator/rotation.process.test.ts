import { createHash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inShell } from '../cli/program.ts'
import { allEvents } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { receiverCaFile } from '../../simulator/test/receiver.ts'
import { simulatorForTest } from '../../simulator/test/running.ts'

it('certs trust fetch follows a rotation of the published chain, up to the callback that only the new chain lets in', async () => {
  const { simulator, ask, askRaw, baseOf, control } = await simulatorForTest({}, { receiverCaFile: receiverCaFile() })
  const certificateUrl = `${new URL(baseOf('account')).origin}/certificates/sandbox.pem`
  const folder = temporaryFolder()
  const [production, sandbox] = BASE_CALLBACKS.trust
  const site = await createSite(
    { callbacks: { ...BASE_CALLBACKS, trust: [production, { ...sandbox, certificateUrl }] } },
    folder,
  )
  copyFileSync(simulator.folder.environments.sandbox.chainFile, join(folder, 'certs/trust/sandbox.pem'))
  const gateway = await startTestGateway(site)
  const fetchChain = (...args: string[]) =>
    inShell(
      site,
      `export NODE_EXTRA_CA_CERTS="${simulator.folder.rootFile}"; portaria certs trust fetch --environment sandbox ${args.join(' ')}`,
    )
  const send = async (identificador: string): Promise<string> => {
    const { json } = await control('POST', '/callbacks', { body: { identificador } })
    await simulator.sites.sandbox.tasks.settled()
    return stateOf(json.callbacks[0])
  }
  const stateOf = async (id: number): Promise<string> => (await control('GET', `/callbacks/${id}`)).json.state
  const stored = async () =>
    (await allEvents(gateway.api)).flatMap(({ kind, data }) =>
      kind === 'payment' ? [(data as { identificador: string }).identificador] : [],
    )

  const url = `https://localhost:${gateway.callbacks.port}/callbacks/payment`
  expect((await ask('payment', { method: 'PUT', path: '/v1/webhook', body: { url } })).status).toBe(201)
  expect(await send('before')).toBe('delivered')
  const first = await fetchChain()
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('The published chain is trusted already')])

  await control('POST', '/chains/sandbox/rotate')
  expect(await send('published')).toBe('delivered')
  const sha256 = createHash('sha256')
    .update((await askRaw(certificateUrl, {})).text)
    .digest('hex')
  const shown = await fetchChain()
  expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining(`--accept ${sha256}`)])

  await control('POST', '/chains/sandbox/activate')
  expect(await send('refused at first')).toBe('pending')
  expect(await stored()).toEqual(['before', 'published'])

  const accepted = await fetchChain('--accept', sha256)
  expect([accepted.code, accepted.stderr]).toEqual([0, ''])
  await control('POST', '/clock/advance', { by: '5m' })
  expect(await stored()).toEqual(['before', 'published', 'refused at first'])

  await gateway.stop()
})
