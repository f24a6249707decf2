import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { followGateway, type SpawnedGateway, type TestSite } from './gateway.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { until } from './until.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
export const UNITS = join(ROOT, 'systemd')

export const hasPython = spawnSync('python3', ['--version']).status === 0
export const hasNotify = hasPython && spawnSync('systemd-notify', ['--version']).status === 0

/** A command of the unit, with this clone as the program and the site's configuration. */
export function commandOf(site: TestSite, setting: 'ExecStart' | 'ExecReload' = 'ExecStart'): string[] {
  const line =
    new RegExp(`^${setting}=(.*)$`, 'm').exec(readFileSync(join(UNITS, 'portaria.service'), 'utf8'))?.[1] ?? ''
  // Split first: the paths here may have spaces.
  return line
    .split(' ')
    .map((word) => word.replace('/opt/portaria', ROOT).replace('/etc/portaria/portaria.yaml', site.configFile))
}

export interface ServiceOptions {
  /** By name, as `callbacks=127.0.0.1:0,api=127.0.0.1:0`. */
  readonly sockets?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** As systemd runs it: sockets passed by a small launcher, nothing of this process's environment but the PATH. */
export function spawnService(site: TestSite, { sockets = '', environment = {} }: ServiceOptions = {}) {
  const launcher = join(import.meta.dirname, 'pass-sockets.py')
  const wrapper = sockets === '' ? [] : ['python3', launcher, sockets]
  const [command, ...args] = [...wrapper, ...commandOf(site)]
  const child = spawn(command as string, args, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

export function startService(site: TestSite, options?: ServiceOptions): Promise<SpawnedGateway> {
  return followGateway(spawnService(site, options))
}

/** A service manager's ear; `messages` has no barriers in it. */
export async function startManager(path = join(temporaryFolder(), 'notify')) {
  const child = spawn('python3', [join(import.meta.dirname, 'hear-notifications.py'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const heard: string[][] = []
  createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line) as string[]))
  await until(() => heard.length > 0)
  return {
    path,
    messages: () => heard.slice(1).filter(([first]) => first !== 'BARRIER=1'),
  }
}
