import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')

/** Rooms that work by themselves, in the background of the gateway: there every timer is guarded, elsewhere those that repeat. */
const IN_BACKGROUND = ['gateway', 'jobs', 'oidc']
/** These end with the command, or have no log to tell: src/store/sqlite/threads/writer-thread.ts catches what its timer throws. */
const WITHOUT_LOG = /^(cli|store\/sqlite\/threads)\//

/** Functions whose promise never rejects: they end what they wait for in a catch of their own. */
const NEVER_REJECTING = /(?:^|\.)(?:pause|check|run|record|store|endClient|reopen|connecting\.then)$/
/** And those that give no promise. */
const NO_PROMISE = /(?:\.(?:destroy|delete|run)|stopWatching|setImmediate)$/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8')

/** Global timers whose callback is neither `guarded(…)` nor a name that was made by it. */
function unguardedIn(file: string): string[] {
  // Node promises that this one throws nothing.
  const text = textOf(file).replaceAll('() => server.closeIdleConnections()', 'guarded')
  const guardedNames = [...text.matchAll(/(\w+)(?:: [^=\n]+)? = guarded\(/g)].map(([, name]) => name)
  const isGuarded = (callback: string) =>
    callback === 'guarded' || guardedNames.includes(callback.replace(/^this\.#/, ''))
  const isBackground = IN_BACKGROUND.some((room) => file.startsWith(`${room}/`))
  const names = isBackground ? 'setInterval|setTimeout|setImmediate' : 'setInterval'
  const timers = [...text.matchAll(new RegExp(`(?<![\\w.])(?:${names})\\(\\s*([\\w.#]*)`, 'g'))]
  return timers.map(([, callback = '']) => callback).filter((callback) => !isGuarded(callback))
}

it('no timer that works in the background runs what is not guarded, so that none can end the process', () => {
  const found = files.filter((file) => !WITHOUT_LOG.test(file) && unguardedIn(file).length > 0)
  expect(found).toEqual([])
})

it('files are watched in one place, which is guarded', () => {
  const watching = files.filter((file) => /import \{[^}]*\bwatch(?:File)?\b[^}]*\} from 'node:fs/.test(textOf(file)))
  expect(watching).toEqual(['certificates/files/file-watch.ts'])
})

it('no promise of the gateway is left alone with `void`, which would hide its rejection until it ends the process', () => {
  const left = files
    .filter((file) => !file.startsWith('cli/'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/\bvoid (\w+(?:\.[#\w]+)*)\(/g)].map(([, call = '']) => ({ file, call })),
    )
  expect(left.filter(({ call }) => !NO_PROMISE.test(call) && !NEVER_REJECTING.test(call))).toEqual([])
})
