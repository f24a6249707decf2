import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { checkInProcess } from '../../../src/cli/serve/check-process.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, MAIN, spawnGateway } from '../../support/gateway.ts'

interface Finding {
  readonly code: string
  readonly what: string
  readonly found: string
}

/** Sizes and times differ between two runs. */
const withoutNumbers = (findings: readonly Finding[]) =>
  findings.map((finding) => JSON.parse(JSON.stringify(finding).replaceAll(/\d+(\.\d+)?/g, 'n')) as Finding)

it('the gateway answers what "portaria check --json" prints', { timeout: 120_000 }, async () => {
  const site = await createSite()
  const gateway = await spawnGateway(site)
  const answer = await callApi(gateway.api, '/v1/check')
  expect(answer.status).toBe(200)
  const { findings, summary } = JSON.parse(answer.body) as { findings: Finding[]; summary: object }
  const printed = spawnSync(process.execPath, [MAIN, 'check', '--json', '--config', site.configFile], {
    encoding: 'utf8',
  })
  const lines = printed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding)
  expect(summary).toEqual(lines.at(-1))
  expect(withoutNumbers(findings)).toEqual(withoutNumbers(lines.slice(0, -1)))
  expect(findings.find(({ what }) => what === 'gateway')?.found).toBe('runs')
})

it('a check that takes too long, or whose gateway stops, is killed with its reason', async () => {
  const { configFile } = await createSite()
  await expect(checkInProcess(configFile, new AbortController().signal, 1)()).rejects.toThrow(
    'did not end within 0.001 s',
  )
  const stopping = new AbortController()
  const run = checkInProcess(configFile, stopping.signal)()
  stopping.abort()
  await expect(run).rejects.toThrow('the gateway is stopping')
})
