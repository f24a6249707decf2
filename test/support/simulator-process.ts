import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Environment } from '../../simulator/src/interfaces.ts'

const PORTARIA = resolve(import.meta.dirname, '../../bin/portaria')

export interface SimulatorProcess {
  /** PEM file with the authority of its server certificates. */
  readonly serverCa: string
  /** The first application of an environment. */
  applicationOf(environment: Environment): {
    clientId: string
    clientSecret: string
    files: Record<'p12' | 'cert' | 'key', string>
  }
  baseOf(environment: Environment, on: 'account' | 'charges' | 'payment' | 'registration'): string
  /** A request to the control API, by default about the sandbox; `path` without /control. Returns the JSON of the answer. @throws for another status than 2xx */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
  control(method: string, path: string, body?: object): Promise<any>
  stop(): Promise<void>
}

interface Summary {
  readonly serverCa: string
  readonly control: string
  readonly environments: Record<Environment, EnvironmentSummary>
}

interface EnvironmentSummary {
  readonly baseAddresses: Record<string, string>
  readonly applications: ReturnType<SimulatorProcess['applicationOf']>[]
}

/**
 * The simulator in a process of its own, on any ports, with its files in `folder`.
 * @param options.receiverCa PEM file with authorities of receivers; default: the public ones
 * @param options.cores on which it runs, as taskset takes them; default: any
 */
export async function spawnSimulator(
  folder: string,
  { receiverCa, settings = {}, cores }: { receiverCa?: string; settings?: object; cores?: string } = {},
): Promise<SimulatorProcess> {
  const settingsFile = join(folder, 'settings.yaml')
  writeFileSync(settingsFile, JSON.stringify(settings))
  const ports = ['--port', '0', '--control-port', '0']
  const files = ['--folder', join(folder, 'simulator'), '--settings', settingsFile]
  const receivers = receiverCa === undefined ? [] : ['--receiver-ca', receiverCa]
  const args = ['simulator', '--json', ...ports, ...files, ...receivers]
  const [program, ...before] = cores === undefined ? [PORTARIA] : ['taskset', '-c', cores, PORTARIA]
  const child = spawn(program, [...before, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const ended = exited.then(([code]) => Promise.reject(new Error(`the simulator ended with ${code}`)))
  const [text] = await Promise.race([line, ended])
  const { serverCa, control, environments } = JSON.parse(text) as Summary

  return {
    serverCa,
    applicationOf: (environment) => environments[environment].applications[0] as EnvironmentSummary['applications'][0],
    baseOf: (environment, on) => environments[environment].baseAddresses[on] as string,
    async control(method, path, body) {
      const response = await fetch(`${control}${path}`, {
        method,
        ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      const answer = await response.text()
      if (!response.ok) throw new Error(`${method} /control${path}: ${response.status} ${answer}`)
      return answer === '' ? undefined : JSON.parse(answer)
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * The entry of the section `service` with which a gateway calls the simulator's charges interface, with the account's .p12 file. Writes the client secret
 * to the folder of the gateway's configuration.
 */
export function serviceEntry(
  simulator: SimulatorProcess,
  environment: Environment,
  folder: string,
  changes: object = {},
) {
  const { clientId, clientSecret, files } = simulator.applicationOf(environment)
  const name = `service-${environment}`
  writeFileSync(join(folder, name), clientSecret, { mode: 0o600 })
  return {
    environment,
    clientId,
    clientSecret: name,
    certificate: files.p12,
    authorities: simulator.serverCa,
    baseAddresses: { charges: simulator.baseOf(environment, 'charges') },
    ...changes,
  }
}
