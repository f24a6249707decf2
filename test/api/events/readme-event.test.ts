import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { anInterpretedCallback } from '../../support/builders.ts'
import { askJson, startApi } from '../api.ts'

const README = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8')

it('the README polls with a request that works, and shows an event as the API gives it', async () => {
  const [, target = ''] = /^curl .* 'http:\/\/127\.0\.0\.1:8080(\/[^']+)'$/m.exec(README) ?? []
  const [, json = ''] = /^```json\n(.*?)^```$/ms.exec(README) ?? []
  const { data, ...page } = JSON.parse(json)
  const [event] = data
  const api = await startApi()
  await api.store.storeCallback({
    ...anInterpretedCallback(JSON.stringify(event.data)),
    environment: event.environment,
  })
  const [id, receivedAt, next] = [expect.stringMatching(/^evt_/), expect.any(String), expect.any(String)]
  expect(await askJson(api, target)).toMatchObject({ ...page, next, data: [{ ...event, id, receivedAt }] })
})
