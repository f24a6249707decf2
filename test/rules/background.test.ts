import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')

/** Timers whose callback only settles a promise, ends a connection or the process on purpose: so many in each file. */
const HARMLESS: Readonly<Record<string, number>> = {
  'alarms/channels/command.ts': 1,
  'api/listening/listener.ts': 1,
  'api/events/long-polls.ts': 2,
  'api/streams/open-stream.ts': 1,
  'certificates/live/remote-certificate.ts': 2,
  'delivery/connection-budget.ts': 1,
  'delivery/guarded-connect.ts': 2,
  'delivery/in-flight.ts': 2,
  'delivery/name-resolver.ts': 1,
  'receiving/listener.ts': 2,
  // It keeps a number.
  'metrics/default-metrics.ts': 1,
  'probe/two-request-probe.ts': 4,
  'service/time-limit.ts': 2,
  'store/postgres/changes/watch-changes.ts': 2,
  'store/postgres/database/connecting.ts': 2,
  'store/postgres/database/readers.ts': 2,
  'store/postgres/database/writer-connection.ts': 1,
  'store/storing/writer-state.ts': 1,
  // It serves a request, as the event of its arrival does.
  'tls/pipelining.ts': 1,
  // It ends a connection and reports the refusal, which never throws.
  'tls/proxied-connections.ts': 1,
  // It catches what it throws: the writer's thread has no log.
  'store/sqlite/threads/writer-thread.ts': 1,
  // The log itself, which can log no failure of its own.
  'cli/log/log.ts': 1,
  'cli/log/log-sink.ts': 1,
  'cli/serve.ts': 1,
  // Commands that end soon, with their own words.
  'cli/check/destinations.ts': 1,
  'cli/check/old-tls.ts': 1,
  'cli/demo.ts': 1,
  'cli/demo/programs.ts': 1,
  // They end a wait, or the command.
  'cli/listen/listen.ts': 1,
  'cli/listen/loop.ts': 1,
  'cli/progress.ts': 1,
  'cli/storage/copy.ts': 1,
}

/** Calls behind `void` that reject never: they end what they wait for in a catch of their own. */
const NEVER_REJECTED = [
  'delivery/dispatcher.ts: pause',
  'gateway/alarms/alarm-http.ts: connecting.then',
  'gateway/listening.ts: expiry.check',
  'gateway/services.ts: inactivity.check',
  'jobs/authority-runner.ts: run',
  'jobs/clock-guard.ts: record',
  'jobs/clock-guard.ts: record',
  'jobs/expiry-alarm.ts: check',
  'receiving/callback-handler.ts: store',
  'store/postgres/changes/watch-changes.ts: endClient',
  'store/postgres/database/connecting.ts: endClient',
  'store/postgres/database/connecting.ts: endClient',
  'store/postgres/database/database.ts: endClient',
  'store/postgres/database/writer-connection.ts: endClient',
  'store/postgres/writing/call-sender.ts: reopen',
]
/** And those that give no promise. */
const NO_PROMISE = /(?:\.(?:destroy|delete|run)|stopWatching|setImmediate)$/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8')

/** Global timers, and watches of `node:fs`, whose callback is neither `guarded(…)` nor a name that was made by it. */
function unguardedIn(file: string): string[] {
  const text = textOf(file)
  const guardedNames = [...text.matchAll(/(\w+)(?:: [^=\n]+)? = guarded\(/g)].map(([, name]) => name)
  const isGuarded = (callback: string) =>
    callback === 'guarded' || guardedNames.includes(callback.replace(/^this\.#/, ''))
  const timers = [...text.matchAll(/(?<![\w.])(?:setInterval|setTimeout|setImmediate)\(\s*([\w.#]*)/g)]
  return timers.map(([, callback = '']) => callback).filter((callback) => !isGuarded(callback))
}

it('no timer of the program runs what is not guarded, so that none can end the process', () => {
  const found = files.map((file) => [file, unguardedIn(file).length] as const).filter(([, count]) => count > 0)
  expect(Object.fromEntries(found.toSorted())).toEqual(Object.fromEntries(Object.entries(HARMLESS).toSorted()))
})

it('files are watched in one place, which is guarded', () => {
  const watching = files.filter((file) => /import \{[^}]*\bwatch(?:File)?\b[^}]*\} from 'node:fs/.test(textOf(file)))
  expect(watching).toEqual(['certificates/files/file-watch.ts'])
})

it('no promise of the gateway is left alone with `void`, which would hide its rejection until it ends the process', () => {
  const left = files
    .filter((file) => !file.startsWith('cli/'))
    .flatMap((file) => [...textOf(file).matchAll(/\bvoid (\w+(?:\.[#\w]+)*)\(/g)].map(([, call]) => `${file}: ${call}`))
    .filter((call) => !NO_PROMISE.test(call))
  expect(left.toSorted()).toEqual(NEVER_REJECTED)
})
