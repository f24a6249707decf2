import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INTERFACES } from '../../src/interfaces.ts'
import { receiverCaFile, startReceiver } from '../receiver.ts'
import { openingRequest } from '../registration/opening-request.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const LINTER = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
const DOCUMENTS = [...INTERFACES, 'control']

/** Clients generated from the documents of a running simulator, with the program that uses them beside. */
let folder: string
let running: RunningSimulator
let stop: () => Promise<unknown>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portaria-generated-'))
  running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  const receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  stop = () => Promise.all([receiver.stop(), running.stop()])
  const { controlPort, sites, folder: files } = running.simulator
  const control = `http://localhost:${controlPort}`
  for (const name of INTERFACES) await saveDocument(name, `${running.baseOf(name)}/openapi.json`)
  await saveDocument('control', `${control}/control/openapi.json`)
  const [application] = sites.sandbox.applications.list()
  const given = {
    ca: files.root,
    id: application?.clientId,
    secret: application?.clientSecret,
    ...running.tlsOf(),
    control,
    receiver: receiver.urlOf('callbacks'),
    opening: openingRequest({ escoposIntegrados: SCOPES }),
  }
  writeFileSync(join(folder, 'given.json'), JSON.stringify(given))
  cpSync(join(import.meta.dirname, 'program'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await run(process.execPath, [join(import.meta.dirname, 'generate.ts'), folder, ...DOCUMENTS])
})
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

const SCOPES = ['gn.pix.evp.write', 'gn.pix.evp.read', 'gn.balance.read']

it('the documents of the interfaces are valid OpenAPI, and keep to the rules of a linter', async () => {
  // Without network: telemetry and update checks are off.
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const rules = ['--config', join(ROOT, 'test/api/openapi/redocly.yaml'), '--skip-rule', 'no-server-example.com']
  const files = INTERFACES.map((name) => join(folder, `${name}.json`))
  const linting = run(process.execPath, [LINTER, 'lint', ...rules, ...files], { env, cwd: folder })
  await expect(linting).resolves.toMatchObject({ stderr: expect.stringContaining('Your API descriptions are valid') })
})

async function saveDocument(name: string, url: string): Promise<void> {
  const { text } = await running.askRaw(url, {})
  writeFileSync(join(folder, `${name}.json`), text)
}

describe('typed clients, generated from the OpenAPI documents by a published generator', () => {
  it('compile together with a program that uses them, and calls that a document does not allow do not', async () => {
    // wrong.ts expects an error at each of its calls.
    await expect(run(process.execPath, [TSC, '-p', folder])).resolves.toMatchObject({ stdout: '' })
  })

  it('pass a tour of all interfaces over mutual TLS, with tokens from where the documents say', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'tour.ts')], { cwd: folder })
    expect(JSON.parse(stdout)).toEqual({
      charge: { installments: 1, status: 'paid', entries: ['new', 'waiting', 'paid'] },
      bill: { status: 'LIQUIDADO', succeeded: 1 },
      errors: { charge: 3_500_010, list: ['/dataInicio', '/dataFim'], token: 'invalid_client', unknown: 3_500_008 },
      openBanking: { type: 'mtls' },
      opened: {
        balance: { saldo: '150.10', bloqueios: { judicial: '0.00', med: '0.00', total: '0.00' } },
        removed: 'string',
        keys: [],
        statement: {
          early: [202, 'AGUARDANDO_PROCESSAMENTO'],
          later: [200, ['CA', 'transferenciaRecebida', 'saldoDia', 'T']],
        },
      },
      subscription: { plans: 1, first: '03/03/2026', status: 'expired', occurrences: 2 },
    })
  })
})
