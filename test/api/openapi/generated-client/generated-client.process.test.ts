import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../../../src/platform/program-files.ts'
import { callApi, callBack } from '../../../support/calls.ts'
import { startTestGateway } from '../../../support/gateway.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const run = promisify(execFile)
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const GENERATOR = join(ROOT, 'node_modules/@hey-api/openapi-ts/bin/run.js')

/** The generator's arguments as app developers read them, with the address of a gateway in place of the one there. */
function documentedArguments(api: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/app-developers.md'), 'utf8')
  const [, args = ''] = /npx --no -- openapi-ts ([^`]+)`/.exec(page) ?? []
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(page).toContain(`npm install @hey-api/openapi-ts@${devDependencies['@hey-api/openapi-ts']} `)
  expect(args).toContain('http://127.0.0.1:8080/openapi.json')
  return args.replace('http://127.0.0.1:8080', api).split(' ')
}

it('the documented command makes a typed client, which compiles with a program and calls a gateway', async () => {
  const gateway = await startTestGateway()
  const api = `http://127.0.0.1:${gateway.api.port}`
  const created = await callApi(gateway.api, '/v1/clients', {
    method: 'POST',
    body: { name: 'app', environment: 'production', scopes: ['events.read'] },
  })
  const { clientId, clientSecret } = JSON.parse(created.body) as { clientId: string; clientSecret: string }
  await callBack(gateway, { body: '{"identificador":"78","status":{"atual":"LIQUIDADO"}}' })
  const folder = temporaryFolder()
  copyFileSync(join(import.meta.dirname, 'program.ts'), join(folder, 'program.ts'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const compilerOptions = {
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    outDir: 'out',
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))

  // The generator starts another process.
  const env = { ...process.env, NODE_OPTIONS: `--import ${join(import.meta.dirname, 'typescript-6.mjs')}` }
  await run(process.execPath, [GENERATOR, ...documentedArguments(api)], { cwd: folder, env })
  await run(process.execPath, [TSC, '-p', folder]).catch(({ stdout }) => expect(stdout).toBe(''))
  const { stdout } = await run(process.execPath, [join(folder, 'out/program.js'), api, clientId, clientSecret])

  expect(JSON.parse(stdout)).toEqual({
    events: [['78', 'LIQUIDADO', 'production']],
    hasNext: true,
    refused: 'insufficient_scope',
  })
})
