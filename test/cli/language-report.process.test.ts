import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ENGLISH } from '../pages/english-words.ts'
import { mainProgram } from '../support/gateway.ts'
import { reservePorts } from '../support/ports.ts'
import { type Certificates, makeCertificates, productionSite } from './checking.ts'
import { compileCache } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
let certificates: Certificates

beforeAll(() => {
  certificates = makeCertificates(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

function portaria(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainProgram(), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, LANG: 'pt_BR.UTF-8' },
  })
  return { status, stdout, stderr }
}

/** Lines with English words, without what a person wrote into the configuration. */
function englishIn(text: string): string[] {
  return text.split('\n').filter((line) => ENGLISH.test(line) && !/aceito \(|^SHA-/.test(line))
}

it('check speaks Portuguese: areas, subjects, findings, remedies and the summary', async () => {
  const site = await productionSite(certificates, { chargeNotifications: undefined, destinations: [] })
  const { stdout } = portaria('check', '--offline', '--config', site.configFile, '--ca', certificates.root.certFile)
  expect(englishIn(stdout)).toEqual([])
  expect(stdout).toMatch(/^certificados$/m)
  expect(stdout).toMatch(/callbacks: chave e cadeia +a chave é deste certificado, e a cadeia está em ordem/)
  expect(stdout).toMatch(/o primeiro a vencer é "CN=server", em \d+ dias/)
  expect(stdout).toMatch(/[✓!✗] (?:Tudo certo|Certo, com|Não está certo)/)
})

it('check in JSON is the same in every language', async () => {
  const site = await productionSite(certificates)
  const { stdout } = portaria('check', '--offline', '--json', '--config', site.configFile)
  expect(stdout).toContain('"the key belongs to the certificate, and the chain is in order"')
})

it('certs show speaks Portuguese', () => {
  const { stdout } = portaria('certs', 'show', certificates.server.certFile)
  expect(englishIn(stdout)).toEqual([])
  expect(stdout).toMatch(/^emitido por +CN=intermediate/m)
})

it('probe speaks Portuguese', async () => {
  const [port = 0] = await reservePorts(1)
  const { chainFile, keyFile } = certificates.caller
  const { stdout, status } = portaria('probe', `https://127.0.0.1:${port}/`, '--cert', chainFile, '--key', keyFile)
  expect(englishIn(stdout)).toEqual([])
  expect(stdout).toContain('inacessível: conexão recusada: nada escuta ali')
  expect(status).toBe(1)
})
