import { spawnSync } from 'node:child_process'
import type { Address } from '../../src/gateway/addresses.ts'
import { callApi } from './calls.ts'

/** Every sample of `/metrics`, as `name{label="value"}`. */
export type Samples = Readonly<Record<string, number>>

export async function scrape(gateway: { api: Address }): Promise<Samples> {
  return samplesOf((await callApi(gateway.api, '/metrics', { token: null })).body)
}

export function samplesOf(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

/** Of the package prometheus. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0
