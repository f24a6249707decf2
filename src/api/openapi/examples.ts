import type { JsonSchema } from '../http/json-schema.ts'
import { errorExample } from './error-examples.ts'
import { KNOWN_BY_OPERATION, KNOWN_SEGMENTS } from './example-values.ts'

type Media = JsonSchema & { readonly schema?: JsonSchema; readonly example?: unknown }
type Content = Readonly<Record<string, Media>>
type WithContent = JsonSchema & { readonly content?: Content }
export type ExampleOf = (schema: JsonSchema) => unknown

/** A body with an example for each of its media types, unless it has one. */
export function bodyWithExample(body: WithContent, exampleOf: ExampleOf): WithContent {
  return mapContent(body, (media) => ({ example: exampleOf(media.schema ?? {}), ...media }))
}

/** An answer with an example. */
export function answerWithExample(
  answer: WithContent,
  { id, status }: { id: string; status: number },
  exampleOf: ExampleOf,
): WithContent {
  return mapContent(answer, (media) => {
    const name = String(media.schema?.$ref).split('/').at(-1) ?? ''
    const example = status < 400 ? KNOWN_BY_OPERATION[id] : errorExample(name, id, status)
    return { ...media, example: example ?? exampleOf(media.schema ?? {}) }
  })
}

function mapContent(body: WithContent, change: (media: Media) => Media): WithContent {
  const { content } = body
  if (content === undefined) return body
  return { ...body, content: Object.fromEntries(Object.entries(content).map(([type, media]) => [type, change(media)])) }
}

/** An id for the segment of a path, by the noun before it. */
export function segmentExample(path: string, name: string): string {
  const noun = path.split('/:')[0]?.split('/').at(-1) ?? ''
  return KNOWN_SEGMENTS[noun] ?? name
}
