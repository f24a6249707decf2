import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssuedCertificate } from '../support/authority.ts'
import { startTestGateway, type TestSite } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { createWorld, openCaller, shownBy, siteOf, type World } from '../support/reloading.ts'
import { until } from '../support/until.ts'

const HOOK = resolve(import.meta.dirname, '../../docs/examples/acme-deploy-hook.sh')

function runHook(env: Record<string, string>, args: string[] = [], program = HOOK) {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
  return new Promise<{ code: number | null; said: string }>((done) =>
    child.once('close', (code) => done({ code, said })),
  )
}

describe.skipIf(!hasOpenssl)('the deploy hook for ACME clients', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let servers: IssuedCertificate[]
  beforeAll(() => {
    world = createWorld(folder)
    servers = [1, 2, 3, 4].map((n) => world.server(`server-${n}`))
  })

  /** As certbot leaves what it renewed: links to the current version. */
  function lineageOf(site: TestSite, { cert, keyFile, name }: IssuedCertificate): string {
    const lineage = join(site.folder, `live-${name}`)
    mkdirSync(lineage)
    writeFileSync(join(lineage, 'fullchain1.pem'), cert + world.serverAuthority.cert)
    symlinkSync('fullchain1.pem', join(lineage, 'fullchain.pem'))
    symlinkSync(keyFile, join(lineage, 'privkey.pem'))
    return lineage
  }

  it('is good for every shell', () => {
    expect(spawnSync('sh', ['-n', HOOK]).status).toBe(0)
  })

  it('installs what certbot, lego or acme.sh renewed, and the running gateway shows it without a restart', async () => {
    const [one, two, three, four] = servers as [
      IssuedCertificate,
      IssuedCertificate,
      IssuedCertificate,
      IssuedCertificate,
    ]
    const site = await siteOf(world, one)
    const gateway = await startTestGateway(site)
    const { port } = gateway.callbacks
    const old = await openCaller(port, world.first.caller)
    const PORTARIA_CONFIG = site.configFile
    const isShown = (name: string) =>
      until(
        () => shownBy(port, world.first.caller),
        (shown) => shown === name,
      )

    const linked = join(site.folder, 'deploy-hook')
    symlinkSync(HOOK, linked)
    const lineage = { PORTARIA_CONFIG, RENEWED_LINEAGE: lineageOf(site, two) }
    const byCertbot = await runHook(lineage, [], linked)
    expect(byCertbot).toEqual({ code: 0, said: expect.stringMatching(/installed .*server\.key and .*server\.crt/) })
    await isShown('server-2')
    const byLego = await runHook({
      PORTARIA_CONFIG,
      LEGO_HOOK_CERT_PATH: three.chainFile,
      LEGO_HOOK_CERT_KEY_PATH: three.keyFile,
      PORTARIA_NAME: 'localhost',
    })
    expect(byLego.code, byLego.said).toBe(0)
    await isShown('server-3')
    const byAcmeSh = await runHook({ PORTARIA_CONFIG, PORTARIA_IMPORT: '--for callbacks --incomplete' }, [
      four.certFile,
      four.keyFile,
    ])
    expect(byAcmeSh.code, byAcmeSh.said).toBe(0)
    await isShown('server-4')
    expect(await old.call('on the oldest connection')).toBe(200)
    expect(gateway.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('installs nothing that does not fit, and nothing of another name', async () => {
    const [one, two] = servers as [IssuedCertificate, IssuedCertificate]
    const site = await siteOf(world, one)
    const PORTARIA_CONFIG = site.configFile
    const installed = () => readFileSync(join(site.certs, 'server.crt'), 'utf8')
    const [mismatch, other, unnamed, missing] = await Promise.all([
      runHook({ PORTARIA_CONFIG }, [two.certFile, one.keyFile]),
      runHook({ PORTARIA_CONFIG, RENEWED_LINEAGE: lineageOf(site, two), PORTARIA_NAME: 'mail.example' }),
      runHook({ PORTARIA_CONFIG }),
      runHook({ PORTARIA_CONFIG, RENEWED_LINEAGE: join(site.folder, 'nothing') }),
    ])
    expect(mismatch).toEqual({ code: 1, said: expect.stringContaining('the private key is not the key of') })
    expect(other).toEqual({ code: 0, said: expect.stringContaining('is not for mail.example: left alone') })
    expect(unnamed).toEqual({ code: 2, said: expect.stringContaining('no files are named') })
    expect(missing.code).not.toBe(0)
    expect(installed()).toBe(one.cert)
  })
})
