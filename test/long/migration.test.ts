import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { type Certificates, makeCertificates } from '../cli/checking.ts'
import { inShell } from '../cli/program.ts'
import { followGateway, MAIN, type TestSite } from '../support/gateway.ts'
import { hasNginxStream, installNginx } from '../support/nginx.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { reservePorts } from '../support/ports.ts'
import { recipesOf } from '../support/recipes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SERVICE = '127.0.1.7'
/** Enough that callbacks are under way in each step. */
const CALLERS = 4

/** The app of before the migration. It can be closed and started again. */
function createApp(port: number) {
  /** By body: whether it came from Portaria. */
  const seen = new Map<string, boolean>()
  const app = express()
  app.post('/webhook', express.raw({ type: () => true, limit: '16mb' }), ({ body, headers }, response) => {
    seen.set((body as Buffer).toString(), headers['webhook-id'] !== undefined)
    response.json({})
  })
  let server = createServer(app)
  const start = async () => {
    server = createServer(app).listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  onTestFinished(close)
  return { seen, start, close }
}

/** The service: calls the registered URL on new connections until it is stopped. */
function startCalling(port: number, { root, caller }: Certificates) {
  const answers: { body: string; status: number | string }[] = []
  const credentials = { ca: root.cert, cert: caller.chain, key: readFileSync(caller.keyFile), servername: 'localhost' }
  const at = { host: '127.0.0.1', port, localAddress: SERVICE, path: '/webhook', method: 'POST', agent: false }
  const call = (body: string) =>
    new Promise<number | string>((done) => {
      request({ ...at, ...credentials })
        .on('response', (response) => done(response.resume().statusCode ?? 0))
        .on('error', ({ message }) => done(message))
        .end(body)
    })
  let isStopped = false
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let number = 0; !isStopped; number++) {
      const body = JSON.stringify({ identificador: `${caller}-${number}` })
      answers.push({ body, status: await call(body) })
      await wait(20)
    }
  })
  const more = async () => {
    const enough = answers.length + 5 * CALLERS
    await until(() => answers.length >= enough)
  }
  const stop = () => {
    isStopped = true
    return Promise.all(callers)
  }
  onTestFinished(async () => void (await stop()))
  return { answers, more, stop }
}

it.skipIf(!hasNginxStream || !hasOpenssl)(
  'the migration page loses no callback, and neither does its rollback',
  async () => {
    const folder = temporaryFolder()
    const certificates = makeCertificates(folder)
    const { root, server, production } = certificates
    const [etc, live, hooks] = ['etc', 'live', 'hooks'].map((name) => join(folder, name)) as [string, string, string]
    for (const made of [live, hooks]) mkdirSync(made)
    writeFileSync(join(live, 'fullchain.pem'), server.chain)
    writeFileSync(join(live, 'privkey.pem'), readFileSync(server.keyFile))

    const [front = 0, callbacks = 0, sitesPort = 0, appPort = 0, api = 0] = await reservePorts(5)
    const values = {
      ...{ '443': front, '8443': callbacks, '4443': sitesPort, '3000': appPort, '8080': api },
      ...{ '/etc/letsencrypt/live/callbacks.example.com': live, '/etc/letsencrypt/renewal-hooks/deploy': hooks },
      ...{ '/etc/nginx/service-chain.pem': production.chainFile, '/etc/portaria': etc, '/opt/portaria': ROOT },
      ...{ 'https://callbacks.example.com': `https://localhost:${front}`, 'callbacks.example.com': 'localhost' },
    }
    const [before = ''] = recipesOf('migration.md', 'nginx', values)
    const [install = '', look = ''] = recipesOf('migration.md', 'sh', values)
    const [stream = '', listen = ''] = recipesOf('connections.md', 'nginx', values)
    const site: TestSite = { folder, configFile: join(etc, 'portaria.yaml'), certs: join(etc, 'certs') }
    const run = async (script: string) => {
      // The authority of the certificate is not a public one.
      const withAuthority = script.replace(/portaria check\b/, `$& --ca ${root.certFile}`)
      const { code, stdout, stderr } = await inShell(site, `set -e; ${withAuthority}`)
      expect(code, stdout + stderr).toBe(0)
      return stdout
    }

    const app = createApp(appPort)
    await app.start()
    const nginx = await installNginx({ folder, sites: before, stream: '' }, front)
    const service = startCalling(front, certificates)
    await service.more()

    await run(install.replace('portaria init', `portaria init --api-port ${api} --callbacks-port ${callbacks}`))
    const serve = [MAIN, 'serve', '--config', site.configFile]
    const gateway = await followGateway(spawn(process.execPath, serve, { stdio: ['ignore', 'ignore', 'pipe'] }))
    await run('portaria check')

    const sites = before.replace(/listen .*\n/, listen)
    const passing = { sites, stream: stream.replaceAll(/ portaria;/g, ' sites;') }
    const accessLog = () => readFileSync(join(folder, 'access.log'), 'utf8').split('\n')
    const logged = accessLog().length
    nginx.reload(passing)
    await service.more()
    expect(
      accessLog()
        .slice(logged)
        .filter((line) => !line.startsWith(SERVICE)),
    ).toEqual([''])

    nginx.reload({ sites, stream })
    // Until the last request that was under way has ended at the old place.
    await until(async () => {
      const before = accessLog().length
      await service.more()
      return accessLog().length === before
    })
    const switched = accessLog().length
    expect([...app.seen.values()].at(-1)).toBe(true)
    expect(await run(look)).toContain('payment')
    expect(gateway.lines.filter(({ event }) => event === 'caller.refused')).toEqual([])

    await app.close()
    await service.more()
    await app.start()
    nginx.reload(passing)
    await until(() => accessLog().length > switched)
    await service.stop()
    expect(service.answers.filter(({ status }) => status !== 200)).toEqual([])
    await until(
      () => service.answers.filter(({ body }) => !app.seen.has(body)),
      ({ length }) => length === 0,
      120_000,
    )
  },
)
