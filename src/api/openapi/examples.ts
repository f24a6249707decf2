import type { JsonSchema } from '../http/json-schema.ts'
import { errorExample } from './error-examples.ts'
import { KNOWN_BY_OPERATION, KNOWN_SEGMENTS, KNOWN_VALUES } from './example-values.ts'
import { type Components, createExamples } from './schema-example.ts'

interface Media {
  readonly schema?: JsonSchema
  example?: unknown
}
interface WithContent {
  readonly content?: Readonly<Record<string, Media>>
}
interface Described {
  readonly operationId: string
  readonly requestBody?: WithContent
  readonly responses: Readonly<Record<string, WithContent>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Components }
}

/** Adds an example to each body, unless it has one, and answer of a new document. */
export function addExamples(document: object): void {
  const { paths, components } = document as Document
  const exampleOf = createExamples(components.schemas, KNOWN_VALUES)
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const { operationId: id, requestBody, responses } = operation
    for (const media of mediaOf(requestBody)) media.example ??= exampleOf(media.schema ?? {})
    for (const [status, answer] of Object.entries(responses)) {
      for (const media of mediaOf(answer)) {
        const name = String(media.schema?.$ref).split('/').at(-1) ?? ''
        const example = Number(status) < 400 ? KNOWN_BY_OPERATION[id] : errorExample(name, id, Number(status))
        media.example = example ?? exampleOf(media.schema ?? {})
      }
    }
  }
}

function mediaOf({ content = {} }: WithContent = {}): Media[] {
  return Object.values(content)
}

/** An id for the segment of a path, by the noun before it. */
export function segmentExample(path: string, name: string): string {
  const noun = path.split('/:')[0]?.split('/').at(-1) ?? ''
  return KNOWN_SEGMENTS[noun] ?? name
}
