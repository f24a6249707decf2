import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compileCache } from '../cli/program.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const LIMIT_MS = 100_000

/** The commands of the chapter, one text per block. */
function blocksOf(chapter: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/first-forward.md'), 'utf8')
  const text = page.split(/^## /m).find((one) => one.startsWith(`${chapter}\n`)) ?? ''
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}

/** The documented ports may be taken on the machine of the test; the simulator uses the port behind its own too. */
async function portsFor(documented: readonly number[]): Promise<Map<string, string>> {
  const ports = await Promise.all(documented.map(() => reservePort(1)))
  return new Map(documented.map((port, index) => [String(port), String(ports[index])]))
}

/** A folder like a clone, where the commands find what they name. */
function clone(withPorts: (text: string) => string): string {
  const folder = temporaryFolder()
  for (const name of ['bin', 'docs', 'node_modules', 'src']) symlinkSync(join(ROOT, name), join(folder, name))
  for (const name of ['config', 'certs', 'data']) mkdirSync(join(folder, name))
  cpSync(join(ROOT, 'config/development-charge-token'), join(folder, 'config/development-charge-token'))
  const development = readFileSync(join(ROOT, 'config/development.yaml'), 'utf8')
  writeFileSync(join(folder, 'config/development.yaml'), withPorts(development))
  return folder
}

interface Terminal {
  /** Everything printed so far. */
  output(): string
  readonly ended: Promise<number | null>
}

/** A shell of its own; ends with its children when the test does. */
function terminal(cwd: string, script: string): Terminal {
  const env = { PATH: process.env.PATH, HOME: cwd, NODE_COMPILE_CACHE: compileCache }
  const shell: ChildProcess = spawn('/bin/bash', ['-ec', script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [shell.stdout, shell.stderr]) stream?.on('data', (chunk) => (text += String(chunk)))
  const ended = new Promise<number | null>((done) => shell.once('exit', done))
  onTestFinished(() => endGroup(shell.pid as number))
  return { output: () => text, ended }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The lines below SANDBOX that the chapter says to paste. */
function pastedLines(banner: string): string {
  const sandbox = /^SANDBOX$([\s\S]*)/m.exec(banner)?.[1] ?? ''
  const lines = sandbox.split('\n').map((line) => line.trim())
  return lines.filter((line) => /^(.*portaria certs trust|export) /.test(line)).join('\n')
}

it('the commands of the operations chapter lead from a registration to verified forwards', {
  timeout: 240_000,
}, async () => {
  const ports = await portsFor([8443, 8444, 8080, 9443, 9445, 9000])
  const withPorts = (text: string) =>
    text.replaceAll(/\b(8443|8444|8080|9443|9445|9000)\b/g, (port) => ports.get(port) ?? port)
  const folder = clone(withPorts)
  const [gatewayBlock = '', simulatorBlock = '', ...rest] = blocksOf('From registration to a verified forward').map(
    withPorts,
  )
  const options = `--port ${ports.get('9443')} --control-port ${ports.get('9445')}`

  const gateway = terminal(folder, gatewayBlock)
  await until(gateway.output, (text) => text.includes('gateway.started') || text.includes('Ctrl-C'), LIMIT_MS)
  const simulator = terminal(folder, simulatorBlock.replace(/simulator (?=--)/, `simulator ${options} `))
  await until(simulator.output, (text) => text.includes('Ctrl-C'), LIMIT_MS)

  const pasted = pastedLines(simulator.output())
  expect(pasted.split('\n')).toHaveLength(6)
  const commands = rest
    .join('\n')
    .replaceAll(/simulator ctl \S+/g, (text) => `${text} --control http://localhost:${ports.get('9445')}`)
  const service = `export SERVICE_URL=https://localhost:${ports.get('9443')}`
  const operator = terminal(folder, `export PORTARIA_CONFIG=config/laptop.yaml\n${service}\n${pasted}\n${commands}`)
  const genuine = () => operator.output().match(/^genuine evt_.*$/gm) ?? []
  const failed = operator.ended.then((code) => {
    if (code !== 0) throw new Error(`the commands ended with ${code}:\n${operator.output()}`)
  })
  await Promise.all([failed, until(genuine, (lines) => lines.length >= 3, LIMIT_MS)])

  const shown = operator.output()
  expect(shown.match(/✓ registered: the list of the service has the address/g)).toHaveLength(2)
  expect(shown).toContain('1 changed')
  expect(genuine().join('\n')).toContain('{"identificador":"77","valor":"150.10"}')
  const charge = genuine().filter((line) => line.includes('"charge_id":1000001'))
  expect(charge.map((line) => /"current":"(\w+)"/.exec(line)?.[1])).toEqual(['new', 'canceled'])
  expect(shown.match(/^charges +accepted /gm)).toHaveLength(2)
})
