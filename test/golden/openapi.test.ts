import { hash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callApi } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'

it('the document of the API is what it was before, part by part; --update writes it', async () => {
  const { api } = await startTestGateway()
  const document = JSON.parse((await callApi(api, '/openapi.json')).body) as Record<string, object>
  const { paths = {}, components = {}, webhooks = {}, ...rest } = document
  await expect(
    [
      ...Object.entries(rest).map(([name, part]) => lineOf(name, part)),
      ...operationsOf(paths),
      ...operationsOf(webhooks),
      ...Object.entries(components).flatMap(([kind, parts]) =>
        Object.entries(parts).map(([name, part]) => lineOf(`${kind} ${name}`, part)),
      ),
    ].join(''),
  ).toMatchFileSnapshot(join(import.meta.dirname, 'outputs/openapi.txt'))
})

function operationsOf(items: object): string[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]) => lineOf(`${method.toUpperCase()} ${path}`, operation)),
  )
}

/** A line that changes with any letter of the part; the part itself would make the file as long as all of the others. */
function lineOf(name: string, part: unknown): string {
  const text = JSON.stringify(part)
  return `${name}  ${text.length} characters  ${hash('sha256', text).slice(0, 16)}\n`
}
