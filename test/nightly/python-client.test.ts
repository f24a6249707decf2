import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../src/platform/program-files.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
import { FRAMEWORKS, hasOpenApiGenerator, pythonWith } from '../support/languages.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const PYTHON = pythonWith('certifi', 'dateutil', 'six', 'urllib3')

const PROGRAM = `
import json, sys
import portaria
api, client_id, client_secret = sys.argv[1:]
configuration = portaria.Configuration(host=api)
client = portaria.ApiClient(configuration)
token = portaria.TokensApi(client).get_token('client_credentials', client_id=client_id, client_secret=client_secret)
configuration.access_token = token.access_token
page = portaria.EventsApi(client).list_events(kind=['payment'], order='desc', limit=2)
try:
    portaria.DestinationsApi(client).create_destination({'url': 'https://app.example/hook'})
except portaria.ApiException as error:
    refused = [error.status, json.loads(error.body)['code']]
try:
    portaria.Event(id=None)
except ValueError as error:
    invalid = str(error)
events = [[event.subject, event.status, event.environment, event.received_at.isoformat()] for event in page.data]
print(json.dumps({'events': events, 'next': page.next, 'refused': refused, 'invalid': invalid}))
`

/** The commands as app developers read them, for a shell in `docs/examples`. */
function documentedCommands(): string {
  const page = readFileSync(join(ROOT, 'docs/app-developers.md'), 'utf8')
  const [, commands = ''] = /^```sh\n(npm install @openapitools[^`]+)```/m.exec(page) ?? []
  const { dependencies } = JSON.parse(readFileSync(join(FRAMEWORKS, 'package.json'), 'utf8'))
  expect(commands).toContain(
    `@openapitools/openapi-generator-cli@${dependencies['@openapitools/openapi-generator-cli']}\n`,
  )
  return commands
}

it.skipIf(PYTHON === null || !hasOpenApiGenerator())(
  'the documented commands make a Python client, which calls a gateway',
  { timeout: 300_000 },
  async () => {
    const gateway = await startTestGateway()
    const api = `http://127.0.0.1:${gateway.api.port}`
    const created = await callApi(gateway.api, '/v1/clients', {
      method: 'POST',
      body: { name: 'app', environment: 'production', scopes: ['events.read'] },
    })
    const { clientId, clientSecret } = JSON.parse(created.body) as { clientId: string; clientSecret: string }
    await callBack(gateway, { body: '{"identificador":"78","status":{"atual":"LIQUIDADO"}}' })
    const event = JSON.parse((await callApi(gateway.api, '/v1/events')).body).data[0]
    const folder = temporaryFolder()
    symlinkSync(join(FRAMEWORKS, 'node_modules'), join(folder, 'node_modules'))
    symlinkSync(join(ROOT, 'docs'), join(folder, 'docs'))
    writeFileSync(join(folder, 'program.py'), PROGRAM)

    // npm ci has installed the package.
    const commands = documentedCommands()
      .replace(/^npm install .*\n/, '')
      .replace('http://127.0.0.1:8080', api)
    await run('bash', ['-euc', `set -o pipefail\n${commands}`], { cwd: folder, maxBuffer: 2 ** 24 })
    const { stdout } = await run(PYTHON as string, ['program.py', api, clientId, clientSecret], {
      cwd: folder,
      env: { ...process.env, PYTHONPATH: join(folder, 'portaria-client') },
    })

    const { receivedAt } = event as { receivedAt: string }
    const result = JSON.parse(stdout)
    expect({
      ...result,
      events: result.events.map(([subject, status, environment, at]: string[]) => [
        subject,
        status,
        environment,
        new Date(at as string).toISOString(),
      ]),
    }).toEqual({
      events: [['78', 'LIQUIDADO', 'production', receivedAt]],
      next: expect.any(String),
      refused: [403, 'insufficient_scope'],
      invalid: 'Invalid value for `id`, must not be `None`',
    })
  },
)
