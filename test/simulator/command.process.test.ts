import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFolder } from '../../simulator/src/folder/folder.ts'
import { compileCache, type Ended, portaria } from '../cli/program.ts'
import { allEvents } from '../support/calls.ts'
import { createSite, MAIN, startTestGateway, type TestSite } from '../support/gateway.ts'
import { greetWithOddKeys } from '../support/odd-keys.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

interface Running {
  readonly child: ChildProcess
  /** Everything printed until it was ready. */
  readonly output: string
  readonly exited: Promise<number | null>
}

/** The real program until it is ready; PORTARIA_CONFIG names a broken file, which it must not read. */
async function start(cwd: string, ...args: string[]): Promise<Running> {
  const broken = join(temporaryFolder(), 'broken.yaml')
  writeFileSync(broken, '{ no configuration')
  const env = { PATH: process.env.PATH, PORTARIA_CONFIG: broken, NODE_COMPILE_CACHE: compileCache }
  const any = ['--port', '0', '--control-port', '0']
  const child = spawn(process.execPath, [MAIN, 'simulator', ...any, ...args], { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let [output, errors] = ['', '']
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`
      if (/^(\{|Ctrl-C)/.test(line)) resolve()
    })
  })
  await Promise.race([ready, exited.then((code) => Promise.reject(new Error(`it ended with ${code}: ${errors}`)))])
  return { child, output, exited }
}

const startFailing = (folder: string, ...args: string[]): Promise<Ended> =>
  portaria(null, 'simulator', '--port', '0', '--control-port', '0', '--folder', folder, ...args)

describe('a start', () => {
  it('prints everything as one object with --json, keeps ids and secrets, and ends with 0 by a signal', async () => {
    const base = temporaryFolder()
    const first = await start(base, '--json')
    const summary = JSON.parse(first.output)
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(readdirSync(base)).toEqual(['data'])
    const { sandbox, production } = summary.environments
    expect(Object.keys(sandbox.baseAddresses)).toEqual(Object.keys(production.tokenEndpoints))
    expect(readFileSync(sandbox.applications[0].files.pem, 'utf8')).toContain('PRIVATE KEY')
    expect(readFileSync(summary.serverCa, 'utf8')).toContain('CERTIFICATE')
    expect(summary.notice).toContain('NEVER FOR PRODUCTION')

    const second = await start(base, '--json', '--config', '/nowhere/portaria.yaml')
    const { environments } = JSON.parse(second.output)
    expect(environments.sandbox.applications).toEqual(sandbox.applications)
    second.child.kill('SIGINT')
    expect(await second.exited).toBe(0)
  })

  it.skipIf(!hasOpenssl)('is ended by no caller whose key is on a curve without a NIST name', async () => {
    const { child, output } = await start(temporaryFolder(), '--json')
    const { control, playground, environments } = JSON.parse(output)
    expect((await fetch(playground)).status).toBe(200)
    await greetWithOddKeys(Number(new URL(environments.sandbox.baseAddresses.payment).port))
    expect((await fetch(`${control}/clock`)).status).toBe(200)
    expect(child.exitCode).toBeNull()
  })

  it('with --keep goes on with its state, and without it begins from none', async () => {
    const base = temporaryFolder()
    async function faultsOf(...args: string[]): Promise<unknown[]> {
      const { output, child, exited } = await start(base, '--json', ...args)
      const { control } = JSON.parse(output)
      const ctl = (...words: string[]) => portaria(null, 'simulator', 'ctl', '--control', control, ...words)
      const { stdout } = await ctl('list-faults', '--json')
      await ctl('order-fault', '--on', 'api', '--fault', 'rate_limited')
      child.kill('SIGTERM')
      await exited
      return JSON.parse(stdout).faults
    }
    expect(await faultsOf('--keep')).toHaveLength(0)
    expect(await faultsOf('--keep')).toHaveLength(1)
    expect(await faultsOf()).toHaveLength(0)
  })

  it.each([
    ['a port in use', ['--port', 'TAKEN'], 1, /port \d+ on 127\.0\.0\.1 is used by another program: .* with --port\n$/],
    ['a control port in use', ['--control-port', 'TAKEN'], 1, /is used by another program: .* with --control-port\n$/],
    ['a control host without a token', ['--control-host', '127.0.0.2'], 2, /needs --control-token-file/],
    ['no token file', ['--control-token-file', '/nonexistent/token'], 2, /\/nonexistent\/token cannot be read/],
    ['equal ports', ['--port', '9443', '--control-port', '9444'], 2, /--control-port 9444 is a port of the API/],
    ['an unknown option', ['--nope'], 2, /unknown option '--nope'/],
    ['a port that is none', ['--port', '70000'], 2, /It must be a port up to 65534/],
    ['an unknown command', ['extra'], 2, /unknown command 'extra': give ctl, play, or none to start\n/],
    ['an unknown setting', ['--settings', 'SETTINGS'], 2, /settings\.yaml has mistakes; .*:\n {2}.*"retries"/],
    ['a missing settings file', ['--settings', '/nowhere.yaml'], 2, /\/nowhere\.yaml cannot be read as YAML/],
    [
      'a missing receiver authority',
      ['--receiver-ca', '/nowhere.crt'],
      2,
      /--receiver-ca \/nowhere\.crt cannot be read .*: give the certificate of the authority .* "npm start"/,
    ],
    [
      'a receiver authority that is none',
      ['--receiver-ca', 'SETTINGS'],
      2,
      /has no certificate in PEM: give --receiver-ca/,
    ],
  ])('%s is one error that says what to do', async (_title, given, code, text) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const base = temporaryFolder()
    const settings = join(base, 'settings.yaml')
    writeFileSync(settings, 'retries: 3\n')
    const port = String((taken.address() as { port: number }).port)
    const args = given.map((word) => word.replace('TAKEN', port).replace('SETTINGS', settings))
    const ended = await startFailing(join(base, 'simulator'), ...args)
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).toMatch(text)
    expect(ended.stderr).not.toMatch(/\n {4}at /)
  })

  it('a damaged or an expired file of the folder is one error, and nothing is overwritten', async () => {
    const folder = join(temporaryFolder(), 'simulator')
    await openFolder(folder, { now: () => new Date(), hostNames: [] })
    const key = join(folder, 'service/sandbox-client.key')
    writeFileSync(key, 'damaged')
    const damaged = await startFailing(folder)
    expect([damaged.code, damaged.stderr, readFileSync(key, 'utf8')]).toEqual([
      1,
      `portaria: ${key} is not the key of service/sandbox-client.crt: put the right file back. To make everything again, ` +
        `remove the folder ${folder} and start: certificates, ids and secrets are then new.\n`,
      'damaged',
    ])
    rmSync(folder, { recursive: true })
    await openFolder(folder, { now: () => new Date(Date.now() - 4 * 365 * 86_400_000), hostNames: [] })
    const before = readdirSync(folder, { recursive: true })
    const expired = await startFailing(folder)
    expect([expired.code, expired.stderr]).toEqual([1, expect.stringMatching(/\.crt expired on .* remove the folder/)])
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
    writeFileSync(join(folder, '../simulator.db'), 'x')
    const foreign = await startFailing(join(folder, '..'))
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('holds other files')])
  })

  it('a state that is no database is one error, and it stays', async () => {
    const folder = join(temporaryFolder(), 'simulator')
    await openFolder(folder, { now: () => new Date(), hostNames: [] })
    writeFileSync(join(folder, 'simulator.db'), 'no database '.repeat(1000))
    const ended = await startFailing(folder, '--keep')
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringContaining('Move the file away, or start without --keep'),
    ])
  })
})

/** The indented lines behind a line of an environment's part, for a shell. */
function pasted(banner: string, environment: string, heading: RegExp): string {
  const part = banner.split(/^(?=SANDBOX$|PRODUCTION$)/m).find((one) => one.startsWith(environment)) ?? ''
  const lines = part.split('\n')
  const from = lines.findIndex((line) => heading.test(line)) + 1
  const block = lines.slice(from)
  const end = block.findIndex((line) => !line.startsWith('    '))
  return block.slice(0, end < 0 ? block.length : end).join('\n')
}

/** As a person in the folder of the clone, with the gateway's configuration exported. */
async function paste(site: TestSite, script: string): Promise<string> {
  const env = { PATH: process.env.PATH, PORTARIA_CONFIG: site.configFile }
  const child = spawn('/bin/bash', ['-ec', script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, code] = await Promise.all([
    Promise.all([child.stdout, child.stderr].map((stream) => stream.toArray())),
    once(child, 'close'),
  ])
  const text = out.flat().join('')
  expect([code[0], text], text).toEqual([0, text])
  return text
}

describe('the printed lines, pasted', () => {
  it('lead from the trusted chain to a callback that the gateway stored', async () => {
    const site = await createSite()
    const gateway = await startTestGateway(site)
    const base = join(temporaryFolder(), "it's a folder")
    mkdirSync(base)
    const { output, child, exited } = await start(base, '--receiver-ca', join(site.certs, 'server-ca.crt'))
    const callbacks = `https://localhost:${gateway.callbacks.port}/callbacks/`
    for (const environment of ['SANDBOX', 'PRODUCTION']) {
      const block = pasted(output, environment, /Copy this block into another shell/)
      const register = pasted(output, environment, /Then register the URLs/)
      const text = await paste(site, `${block}\n${register.replaceAll('https://localhost:8443/callbacks/', callbacks)}`)
      expect(text).toContain('simulator')
      expect(JSON.parse(`[${text.slice(text.indexOf('{')).replace('}{', '},{')}]`)).toEqual([
        { url: `${callbacks}payment` },
        { identificadorWebhook: expect.any(String) },
      ])
    }
    const control = /Control API: (\S+)/.exec(output)?.[1] as string
    const ctl = (...args: string[]) => portaria(null, 'simulator', 'ctl', '--control', control, ...args)
    const body = '{"identificador":"77","valor":"1.00"}'
    expect((await ctl('send-callback', '--text', body, '--environment', 'production')).code).toBe(0)
    const found = async () => (await allEvents(gateway.api)).filter(({ kind }) => kind === 'payment')
    await until(async () => (await found()).length === 1)
    expect(await found()).toMatchObject([{ environment: 'production', data: { identificador: '77' } }])
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })
})
