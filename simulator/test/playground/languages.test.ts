import { expect, it } from 'vitest'
import { INTERFACES } from '../../src/interfaces.ts'
import { portuguese } from '../../src/messages/po.ts'
import { knownErrors } from '../../src/playground/known-errors.ts'
import { PAGES } from '../../src/playground/sections.ts'
import { EN } from '../../src/playground/words/en.ts'
import { wordsOf } from '../../src/playground/words/words.ts'
import { simulatorForFile } from '../running.ts'
import { askPlayground } from './playground-client.ts'

const running = simulatorForFile()

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: unknown
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

function operationsIn({ paths }: { paths: Record<string, Record<string, Described>> }): Described[] {
  return Object.values(paths).flatMap((item) => Object.values(item))
}

/** The descriptions of a schema and of all that is in it. */
function descriptionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'description' && typeof one === 'string' ? [one] : descriptionsIn(one),
  )
}

it('every text of the documents, the table of codes and the offered control operations has its Portuguese, and no other', async () => {
  const documents = await Promise.all(
    INTERFACES.map(async (on) => (await running().askRaw(`${running().baseOf(on)}/openapi.json`, {})).json),
  )
  const ofDocuments = documents
    .flatMap(operationsIn)
    .flatMap(({ summary, parameters, requestBody, responses }) => [
      summary,
      ...descriptionsIn(parameters),
      ...descriptionsIn(requestBody?.content['application/json']?.schema),
      ...Object.values(responses).map(({ description }) => description),
    ])
  const texts = await Promise.all(
    ['/accounts/200001', ...PAGES.map((name) => (name === 'start' ? '/' : `/${name}`))].map((path) =>
      askPlayground(running(), 'GET', path),
    ),
  )
  const offered = texts.flatMap(({ text }) => [...text.matchAll(/data-control="(\w+)"/g)].map(([, id]) => id))
  const control = operationsIn((await running().control('GET', '/openapi.json')).json)
  const ofControl = control
    .filter(({ operationId }) => [...offered, 'updateBill', 'refuseCertificates'].includes(operationId))
    .flatMap(({ requestBody }) => descriptionsIn(requestBody))
  const all = [...ofDocuments, ...knownErrors().map(({ when }) => when), ...ofControl]
  expect([...new Set(all)].toSorted()).toEqual([...portuguese('document').keys()].toSorted())
})

it('every text of the pages has its Portuguese, and no other', () => {
  const textsOf = (words: object): string[] =>
    Object.values(words).flatMap((value) => (typeof value === 'string' ? [value] : textsOf(value)))
  expect([...new Set(textsOf(EN))].toSorted()).toEqual([...portuguese('playground').keys()].toSorted())
})

it('the words of the pages differ between the languages, but for names', () => {
  const same = (one: object, other: object, path = ''): string[] =>
    Object.entries(one).flatMap(([name, value]) => {
      const given = (other as Record<string, unknown>)[name]
      if (typeof value === 'object' && value !== null) return same(value, given as object, `${path}${name}.`)
      return value === given ? [`${path}${name}`] : []
    })
  expect(same(EN, wordsOf('pt'))).toEqual([
    'environments.sandbox',
    'sections.endpoints',
    'sections.open-banking',
    'sections.webhooks',
    'sections.callbacks',
    'gateway.api',
    'arrival.status',
    'records.callback',
    'form.item',
    'form.isNull',
    'form.json',
    'endpoints.interface',
    'endpoints.endpoint',
    'endpoints.status',
    'signIn.token',
  ])
})
