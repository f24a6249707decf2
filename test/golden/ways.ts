import { join } from 'node:path'
import { type Ended, portaria } from '../cli/program.ts'
import { callApi } from '../support/calls.ts'
import { startTestGateway, type TestGateway, type TestSite } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { copyOf, eventIdsOf } from './filled-site.ts'
import { stable } from './stable.ts'

/** A way by which a command reaches a gateway, each with a site of its own. */
export interface Way {
  readonly name: string
  /** The stable output of a command line. */
  run(line: string): Promise<string>
}

/** On copies of a site: without a gateway, beside a running one, and by the API of a running one. */
export async function threeWays(site: TestSite): Promise<Way[]> {
  const [alone, socket, api] = [copyOf(site), copyOf(site), copyOf(site)]
  const ids = await eventIdsOf(site)
  const gateways = [await startTestGateway(socket), await startTestGateway(api)]
  for (const gateway of gateways) await raisedAlarms(gateway)
  const { port } = gateways[1]?.api ?? { port: 0 }
  const remote = ['--api', `http://127.0.0.1:${port}`, '--token-file', join(api.folder, 'operator-token')]
  const way = (name: string, of: TestSite, run: (args: readonly string[]) => Promise<Ended>): Way => ({
    name,
    run: async (line) => textOf(await run(argumentsOf(line, ids)), of, port),
  })
  return [
    way('alone', alone, (args) => portaria(alone, ...args)),
    way('beside a gateway', socket, (args) => portaria(socket, ...args)),
    way('--api', api, (args) => portaria(null, ...args, ...(args.includes('--api') ? [] : remote))),
  ]
}

/** Their runner works in the background. */
async function raisedAlarms({ api }: TestGateway): Promise<void> {
  await until(async () => JSON.parse((await callApi(api, '/v1/alarms')).body).alarms.length > 0)
}

function argumentsOf(line: string, ids: ReadonlyMap<string, string>): string[] {
  return line.split(' ').map((word) => ids.get(word) ?? word)
}

function textOf({ code, stdout, stderr }: Ended, site: TestSite, port: number): string {
  const parts = [stdout, stderr === '' ? '' : `-- standard error\n${stderr}`, code === 0 ? '' : `-- exit code ${code}`]
  const lines = parts.filter((part) => part !== '').map((part) => part.replace(/\n?$/, '\n'))
  return stable(lines.join(''), site, port)
}

/** The output once where all ways say the same; otherwise each output under the ways that say it. */
export async function outputOf(line: string, ways: readonly Way[]): Promise<string> {
  const namesByText = new Map<string, string[]>()
  for (const way of ways) {
    const text = await way.run(line)
    namesByText.set(text, [...(namesByText.get(text) ?? []), way.name])
  }
  const outputs = [...namesByText].map(([text, names]) =>
    namesByText.size === 1 ? text : `== ${names.join(', ')}\n${text}`,
  )
  return [`$ portaria ${line}\n`, ...outputs].join('')
}
